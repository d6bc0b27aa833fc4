# oracle: families; 503 429 500 409 400 drop refuse
import os

from runwayml import RunwayML

client = RunwayML(api_key="k", base_url=os.environ["BASE_URL"], max_retries=4)
client.tasks.retrieve("17f20503-6c24-4c16-946b-35dbbce2af2f")
