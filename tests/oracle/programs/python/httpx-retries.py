# oracle: core; 503 429 500 502 400 refuse
import httpx
from httpx_retries import RetryTransport

client = httpx.Client(transport=RetryTransport())
print(client.get("http://api.example.com/x"))
