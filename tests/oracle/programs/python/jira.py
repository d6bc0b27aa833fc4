# oracle: services; 429 503 503ra 500 400
import os

from jira import JIRA

client = JIRA(os.environ["BASE_URL"], basic_auth=("a", "b"), get_server_info=False)
client.issue("X-1")
