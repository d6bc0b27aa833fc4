# oracle: ai; 503 429 500 400
import os

from apify_client import ApifyClient

client = ApifyClient("k", api_url=os.environ["BASE_URL"])
client.user("me").get()
