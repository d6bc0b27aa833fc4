# oracle: core; 503 400 drop refuse
import requests
from retry import retry


@retry(requests.RequestException, tries=4, delay=2, backoff=2)
def fetch():
    requests.get("http://api.example.com/x").raise_for_status()


fetch()
