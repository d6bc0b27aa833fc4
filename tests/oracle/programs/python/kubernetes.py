# oracle: services; drop 503 503ra 400 refuse
import os

from kubernetes import client

configuration = client.Configuration()
configuration.host = os.environ["BASE_URL"]
client.CoreV1Api(client.ApiClient(configuration)).list_namespaced_pod("x")
