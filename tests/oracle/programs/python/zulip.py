# oracle: services; 503 500 429 400
import os

import zulip

client = zulip.Client(email="a@b.c", api_key="k", site=os.environ["BASE_URL"])
client.get_profile()
