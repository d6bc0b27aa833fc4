# oracle: core; 503
import requests
from retry import retry


@retry()
def fetch():
    requests.get("http://api.example.com/x").raise_for_status()


fetch()
