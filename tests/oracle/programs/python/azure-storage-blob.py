# oracle: services; 503 500 429 400 refuse
import os

from azure.storage.blob import BlobServiceClient

client = BlobServiceClient(os.environ["BASE_URL"] + "/acct", credential="a2V5")
list(client.list_containers())
