# oracle: core; 529 503 429 500 409 400 drop refuse
import anthropic

client = anthropic.Anthropic()
client.messages.create(model="m", max_tokens=10, messages=[{"role": "user", "content": "hi"}])
