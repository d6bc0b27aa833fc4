# oracle: ai; 503 429 400 drop refuse
import os

from huggingface_hub import InferenceClient

client = InferenceClient(base_url=os.environ["BASE_URL"], api_key="k")
client.chat_completion([{"role": "user", "content": "hi"}])
