# oracle: core; 429ra 503 drop refuse
import os

from slack_sdk import WebClient
from slack_sdk.http_retry.builtin_handlers import RateLimitErrorRetryHandler

client = WebClient(token="x", base_url=os.environ["BASE_URL"] + "/")
client.retry_handlers.append(RateLimitErrorRetryHandler(max_retry_count=4))
client.api_test()
