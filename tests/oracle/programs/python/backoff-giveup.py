# oracle: core; 503 400 drop refuse
import requests
import backoff


@backoff.on_exception(
    backoff.expo, requests.HTTPError, max_tries=5, giveup=lambda e: 400 <= e.response.status_code < 500
)
def fetch():
    requests.get("http://api.example.com/x").raise_for_status()


fetch()
