# oracle: core; 529 400
import anthropic

client = anthropic.Anthropic(max_retries=0)
client.with_options(max_retries=4).messages.create(model="m", max_tokens=10, messages=[{"role": "user", "content": "hi"}])
