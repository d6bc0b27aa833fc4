# oracle: core; 503 400 drop refuse
import requests
import tenacity


@tenacity.retry(stop=tenacity.stop_after_attempt(4), wait=tenacity.wait_exponential(multiplier=1, max=30))
def fetch():
    requests.get("http://api.example.com/x").raise_for_status()


fetch()
