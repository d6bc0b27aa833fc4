# oracle: core; 503
import requests
import backoff


@backoff.on_exception(backoff.constant, requests.RequestException, jitter=None)
def fetch():
    requests.get("http://api.example.com/x").raise_for_status()


fetch()
