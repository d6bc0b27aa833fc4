# oracle: ai; 503 500 429 400 refuse
import os

from pinecone import Pinecone

client = Pinecone(api_key="k", host=os.environ["BASE_URL"])
client.list_indexes()
