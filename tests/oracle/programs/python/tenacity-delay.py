# oracle: core; 503
import requests
from tenacity import retry, stop_after_delay, wait_fixed


@retry(stop=stop_after_delay(10), wait=wait_fixed(2))
def fetch():
    requests.get("http://api.example.com/x").raise_for_status()


fetch()
