# oracle: services; 503 500 400 drop refuse
import os

from minio import Minio

client = Minio(endpoint=os.environ["BASE_URL"].split("//")[1], access_key="a", secret_key="bbbbbbbb", secure=False)
client.list_buckets()
