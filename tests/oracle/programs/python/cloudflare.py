# oracle: ai; 503 429 500 409 400 drop refuse
import os

from cloudflare import Cloudflare

client = Cloudflare(api_token="k", base_url=os.environ["BASE_URL"])
client.zones.list()
