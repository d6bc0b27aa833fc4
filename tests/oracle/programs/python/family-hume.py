# oracle: families; 503 429 500 409 400
import os

from hume import HumeClient
from hume.environment import HumeClientEnvironment

base = os.environ["BASE_URL"]
here = HumeClientEnvironment(base=base, evi=base, tts=base, stream=base)
client = HumeClient(api_key="k", environment=here)
client.tts.voices.delete(name="x", request_options={"max_retries": 3})
