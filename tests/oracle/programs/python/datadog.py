# oracle: services; 429 503 400
import os

from datadog_api_client import ApiClient, Configuration
from datadog_api_client.v1.api.authentication_api import AuthenticationApi

configuration = Configuration(host=os.environ["BASE_URL"])
AuthenticationApi(ApiClient(configuration)).validate()
