# oracle: core; 503 429 500 409 400 drop refuse
import httpx

print(httpx.get("http://api.example.com/x"))
