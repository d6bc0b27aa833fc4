# oracle: services; 503 400
import os

import trino

port = int(os.environ["BASE_URL"].split(":")[-1])
cursor = trino.dbapi.connect(host="127.0.0.1", port=port, user="u", http_scheme="http").cursor()
cursor.execute("select 1")
