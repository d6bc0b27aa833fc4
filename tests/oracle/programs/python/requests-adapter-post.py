# oracle: core; 503 429 drop refuse
import requests
from requests.adapters import HTTPAdapter
from urllib3.util import Retry

session = requests.Session()
retry = Retry(total=5, backoff_factor=1, status_forcelist=[429, 503])
session.mount("http://", HTTPAdapter(max_retries=retry))
print(session.post("http://api.example.com/x", json={}))
