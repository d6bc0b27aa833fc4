# oracle: core; 503 400 refuse drop
import httpx

client = httpx.Client(transport=httpx.HTTPTransport(retries=3))
print(client.get("http://api.example.com/x"))
