# oracle: core; 503 400 drop refuse
import requests
from opnieuw import retry


@retry(retry_on_exceptions=requests.HTTPError)
def fetch():
    requests.get("http://api.example.com/x").raise_for_status()


fetch()
