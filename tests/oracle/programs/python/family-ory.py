# oracle: families; 503 429 400 drop refuse
import os

import ory_client

configuration = ory_client.Configuration(host=os.environ["BASE_URL"], retries=2)
ory_client.MetadataApi(ory_client.ApiClient(configuration)).get_version()
