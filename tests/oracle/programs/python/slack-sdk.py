# oracle: core; 503 429 drop refuse
import os

from slack_sdk import WebClient

client = WebClient(token="x", base_url=os.environ["BASE_URL"] + "/")
client.api_test()
