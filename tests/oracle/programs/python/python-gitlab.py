# oracle: services; 429 503 500 400 refuse
import os

import gitlab

client = gitlab.Gitlab(os.environ["BASE_URL"], private_token="t")
client.projects.get(1)
