# oracle: services; 503 500 502 429 400 drop refuse
import os

from opensearchpy import OpenSearch
from opensearchpy.helpers import bulk

client = OpenSearch([os.environ["BASE_URL"]])
bulk(client, [{"_index": "i", "_id": "1", "_source": {"a": 1}}], max_retries=2)
