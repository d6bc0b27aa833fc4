# oracle: core; 503 400 refuse drop
import httpx2

client = httpx2.Client(transport=httpx2.HTTPTransport(retries=3))
print(client.get("http://api.example.com/x"))
