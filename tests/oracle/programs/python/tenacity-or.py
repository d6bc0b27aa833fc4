# oracle: core; 503 400 drop refuse
import requests
from tenacity import retry, stop_after_attempt, stop_after_delay, wait_fixed


@retry(stop=stop_after_delay(1000) | stop_after_attempt(5), wait=wait_fixed(1))
def fetch():
    requests.get("http://api.example.com/x").raise_for_status()


fetch()
