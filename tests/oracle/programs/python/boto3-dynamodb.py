# oracle: core; 503 500 400 drop refuse
import boto3

print(boto3.client("dynamodb").list_tables())
