# oracle: core; 503 429 500 409 400 drop refuse
import requests

print(requests.get("http://api.example.com/x"))
