# oracle: core; 503 400
import requests
from google.api_core import exceptions, retry


@retry.Retry(predicate=retry.if_exception_type(exceptions.ServiceUnavailable), timeout=None)
def fetch():
    answer = requests.get("http://api.example.com/x")
    if answer.status_code >= 400:
        raise exceptions.from_http_response(answer)


fetch()
