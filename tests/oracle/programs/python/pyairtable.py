# oracle: services; 503 429 400 drop refuse
import os

from pyairtable import Api

table = Api("k", endpoint_url=os.environ["BASE_URL"]).table("appAAAAAAAAAAAAAA", "t")
table.all()
