# oracle: core; 503 drop refuse
import urllib3

print(urllib3.PoolManager().request("POST", "http://api.example.com/x", body=b"x").status)
