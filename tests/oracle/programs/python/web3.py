# oracle: services; 503 400 refuse
import os

from web3 import Web3

w3 = Web3(Web3.HTTPProvider(os.environ["BASE_URL"]))
print(w3.eth.get_block("latest"))
