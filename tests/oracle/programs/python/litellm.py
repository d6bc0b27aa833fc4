# oracle: ai; 503 400 refuse
import os

import litellm

litellm.completion(
    model="openai/m",
    messages=[{"role": "user", "content": "hi"}],
    api_base=os.environ["OPENAI_BASE_URL"],
    api_key="k",
)
