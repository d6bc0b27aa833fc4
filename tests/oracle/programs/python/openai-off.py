# oracle: core; 503 429
import openai

client = openai.OpenAI(max_retries=0)
client.chat.completions.create(model="m", messages=[{"role": "user", "content": "hi"}])
