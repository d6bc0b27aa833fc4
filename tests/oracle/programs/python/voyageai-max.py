# oracle: ai; 503 400 500
import os

import voyageai

voyageai.Client(api_key="k", base_url=os.environ["BASE_URL"], max_retries=4).embed(["x"], model="voyage-3")
