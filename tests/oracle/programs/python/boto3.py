# oracle: core; 503 500 429 400 drop refuse
import boto3

print(boto3.client("sqs").list_queues())
