# oracle: services; 503 500 502 429 408 400 drop refuse
import os

from azure.core.pipeline.policies import SansIOHTTPPolicy
from azure.mgmt.containerinstance import ContainerInstanceManagementClient

client = ContainerInstanceManagementClient(
    object(), "sub", base_url=os.environ["BASE_URL"], authentication_policy=SansIOHTTPPolicy()
)
client.container_groups.get("group", "name")
