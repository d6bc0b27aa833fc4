# oracle: core; 500 503 503ra 400 drop refuse
from retry_requests import retry

session = retry()
print(session.get("http://api.example.com/x"))
