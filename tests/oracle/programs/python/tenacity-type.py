# oracle: core; 503 400 drop refuse
import requests
from tenacity import retry, retry_if_exception_type, stop_after_attempt


@retry(stop=stop_after_attempt(4), retry=retry_if_exception_type(requests.ConnectionError))
def fetch():
    requests.get("http://api.example.com/x").raise_for_status()


fetch()
