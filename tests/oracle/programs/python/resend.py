# oracle: services; 503 429 400 drop refuse
import os

import resend

resend.api_key = "k"
resend.api_url = os.environ["BASE_URL"]
resend.Contacts.create({"audience_id": "a", "email": "a@b.c"})
