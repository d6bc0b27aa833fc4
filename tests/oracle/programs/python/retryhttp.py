# oracle: core; 503 429 400 drop
import requests
from retryhttp import retry


@retry
def fetch():
    requests.get("http://api.example.com/x").raise_for_status()


fetch()
