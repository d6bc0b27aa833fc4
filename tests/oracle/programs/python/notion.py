# oracle: services; 429 503 500 400 refuse
import os

from notion_client import Client

client = Client(auth="x", base_url=os.environ["BASE_URL"])
client.users.list()
