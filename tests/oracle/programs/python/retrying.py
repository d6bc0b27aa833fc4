# oracle: core; 503 400 drop refuse
import requests
from retrying import retry


@retry(stop_max_attempt_number=3, wait_fixed=2000)
def fetch():
    requests.get("http://api.example.com/x").raise_for_status()


fetch()
