# oracle: core; 503 503ra 400 drop refuse
import requests
from requests.adapters import HTTPAdapter

session = requests.Session()
session.mount("http://", HTTPAdapter(max_retries=3))
print(session.get("http://api.example.com/x"))
