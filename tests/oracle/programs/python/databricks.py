# oracle: services; 400; path /Me
import os

from databricks.sdk import WorkspaceClient

client = WorkspaceClient(host=os.environ["BASE_URL"], token="x", auth_type="pat")
client.current_user.me()
