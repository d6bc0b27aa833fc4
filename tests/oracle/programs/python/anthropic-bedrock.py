# oracle: core; 529 400
import os

import anthropic

client = anthropic.AnthropicBedrock(aws_region="us-east-1", base_url=os.environ["BASE_URL"])
client.messages.create(model="m", max_tokens=10, messages=[{"role": "user", "content": "hi"}])
