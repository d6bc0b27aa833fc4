# oracle: core; 503 400 drop refuse
import requests
import stamina


@stamina.retry(on=requests.RequestException, attempts=3)
def fetch():
    requests.get("http://api.example.com/x").raise_for_status()


fetch()
