# oracle: core; 503 400 refuse
import os

import stripe

client = stripe.StripeClient("sk_test_x", base_addresses={"api": os.environ["BASE_URL"]})
client.v1.customers.create({"name": "x"})
