# oracle: core; 503 503ra drop refuse
import urllib3

pool = urllib3.PoolManager(retries=5)
print(pool.request("GET", "http://api.example.com/x").status)
