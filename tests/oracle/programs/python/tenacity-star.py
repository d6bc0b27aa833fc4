# oracle: core; 503 400
import os

import requests
from tenacity import *


@retry(stop=stop_after_attempt(4) | stop_after_delay(1000), wait=wait_exponential(multiplier=1, max=10))
def ask():
    requests.get(os.environ["BASE_URL"]).raise_for_status()


ask()
