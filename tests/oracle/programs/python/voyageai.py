# oracle: ai; 503 429 400
import os

import voyageai

client = voyageai.Client(api_key="k", base_url=os.environ["BASE_URL"])
client.embed(["x"], model="voyage-3")
