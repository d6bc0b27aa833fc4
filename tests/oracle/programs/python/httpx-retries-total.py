# oracle: core; 503 429 400 refuse
import httpx
from httpx_retries import Retry, RetryTransport

client = httpx.Client(transport=RetryTransport(retry=Retry(total=3, backoff_factor=0.5)))
print(client.get("http://api.example.com/x"))
