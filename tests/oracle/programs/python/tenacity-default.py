# oracle: core; 503 400
import requests
import tenacity


@tenacity.retry
def fetch():
    requests.get("http://api.example.com/x").raise_for_status()


fetch()
