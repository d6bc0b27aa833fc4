# oracle: services; 503 429 drop
import os

from opensearchpy import OpenSearch

OpenSearch([os.environ["BASE_URL"]], retry_on_status=[429], max_retries=5).search(index="i", body={})
