# oracle: ai; 503 429 500 504 400 drop refuse
import os

import replicate

client = replicate.Client(api_token="k", base_url=os.environ["BASE_URL"])
client.predictions.get("abc")
