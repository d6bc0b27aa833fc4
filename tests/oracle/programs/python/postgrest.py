# oracle: services; 503 500 400 refuse
import os

from postgrest import SyncPostgrestClient

client = SyncPostgrestClient(os.environ["BASE_URL"])
client.from_("t").select("*").execute()
