# oracle: ai; 503 429 500 409 400 drop refuse
import os

from mistralai.client import Mistral

client = Mistral(api_key="k", server_url=os.environ["BASE_URL"])
client.chat.complete(model="m", messages=[{"role": "user", "content": "hi"}])
