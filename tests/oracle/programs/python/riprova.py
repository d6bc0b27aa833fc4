# oracle: core; 503 400
import requests
import riprova


@riprova.retry
def fetch():
    requests.get("http://api.example.com/x").raise_for_status()


fetch()
