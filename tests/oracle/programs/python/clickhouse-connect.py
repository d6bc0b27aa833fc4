# oracle: services; 503 429 refuse
import os

import clickhouse_connect

clickhouse_connect.get_client(host="127.0.0.1", port=int(os.environ["BASE_URL"].rsplit(":", 1)[-1]))
