# oracle: core; 503 400 drop refuse
import requests
import backoff


@backoff.on_exception(backoff.expo, requests.RequestException, max_tries=5)
def fetch():
    requests.get("http://api.example.com/x").raise_for_status()


fetch()
