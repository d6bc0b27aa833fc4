# oracle: core; 429ra 503 500 400 drop refuse
import os

from slack_sdk import WebClient
from slack_sdk.http_retry.builtin_handlers import (
    ConnectionErrorRetryHandler,
    RateLimitErrorRetryHandler,
    ServerErrorRetryHandler,
)

handlers = [
    ConnectionErrorRetryHandler(max_retry_count=2),
    RateLimitErrorRetryHandler(max_retry_count=8),
    ServerErrorRetryHandler(),
]
client = WebClient(token="x", base_url=os.environ["BASE_URL"] + "/", retry_handlers=handlers)
client.api_test()
