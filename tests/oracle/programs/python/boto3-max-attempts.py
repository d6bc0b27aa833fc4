# oracle: core; 503 400
import boto3
from botocore.config import Config

client = boto3.client("sqs", config=Config(retries={"mode": "standard", "max_attempts": 5}))
print(client.list_queues())
