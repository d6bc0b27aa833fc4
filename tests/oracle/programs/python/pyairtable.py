# oracle: services; 429 503 400
import os

from pyairtable import Api

table = Api("k", endpoint_url=os.environ["BASE_URL"]).table("appAAAAAAAAAAAAAA", "t")
table.all()
