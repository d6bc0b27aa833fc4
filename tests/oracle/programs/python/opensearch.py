# oracle: services; 503 500 502 429 400 drop refuse
import os

from opensearchpy import OpenSearch

client = OpenSearch([os.environ["BASE_URL"]])
client.search(index="i")
