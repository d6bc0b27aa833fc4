# oracle: core; 503 503ra 400 drop refuse
import urllib3

print(urllib3.PoolManager().request("GET", "http://api.example.com/x").status)
