# oracle: ai; 503 429 500 409 400 drop refuse
import os

from elevenlabs.client import ElevenLabs

client = ElevenLabs(api_key="k", base_url=os.environ["BASE_URL"])
client.models.list()
