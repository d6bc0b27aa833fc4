# oracle: core; 503 400 drop refuse
import requests
from redo import retriable


@retriable()
def fetch():
    requests.get("http://api.example.com/x").raise_for_status()


fetch()
