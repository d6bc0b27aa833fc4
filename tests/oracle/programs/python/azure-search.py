# oracle: services; 503 500 502 429ra 408 400 drop refuse
import os

from azure.core.credentials import AzureKeyCredential
from azure.search.documents import SearchClient

client = SearchClient(os.environ["BASE_URL"], "index", AzureKeyCredential("key"))
next(client.search("text"))
