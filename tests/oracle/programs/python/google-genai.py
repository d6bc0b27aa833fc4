# oracle: ai; 503 429 500 409 400 drop refuse
import os

from google import genai

client = genai.Client(api_key="k", http_options={"base_url": os.environ["BASE_URL"]})
client.models.generate_content(model="m", contents="hi")
