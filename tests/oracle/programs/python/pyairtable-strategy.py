# oracle: services; 503 429 400 drop
import os

from pyairtable import Api, retry_strategy

strategy = retry_strategy(total=2, status_forcelist=(429, 503))
Api("k", endpoint_url=os.environ["BASE_URL"], retry_strategy=strategy).table("appAAAAAAAAAAAAAA", "t").all()
