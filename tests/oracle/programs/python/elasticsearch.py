# oracle: core; 503 429 500 502 400 drop refuse
import os

from elasticsearch import Elasticsearch

Elasticsearch(os.environ["BASE_URL"]).search(index="i")
