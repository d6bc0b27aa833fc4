# oracle: ai; 503 429 500 409 400 drop refuse
import os

from cerebras.cloud.sdk import Cerebras

client = Cerebras(api_key="k", base_url=os.environ["BASE_URL"], warm_tcp_connection=False)
client.chat.completions.create(model="m", messages=[{"role": "user", "content": "hi"}])
