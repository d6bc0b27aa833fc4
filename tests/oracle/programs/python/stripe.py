# oracle: core; 503 500 429 409 400 drop refuse
import os

import stripe

stripe.api_key = "sk_test_x"
stripe.api_base = os.environ["BASE_URL"]
stripe.Customer.create(name="x")
