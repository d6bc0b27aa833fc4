# oracle: core; 503 500 400 drop refuse
import boto3
from botocore.config import Config

client = boto3.client("sqs", config=Config(retries={"mode": "legacy"}))
print(client.list_queues())
