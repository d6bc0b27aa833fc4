# oracle: core; refuse
import os

import redis

client = redis.Redis(port=int(os.environ["BASE_URL"].split(":")[-1]))
client.ping()
