# oracle: services; 503 429 400
import os

from twilio.http.http_client import TwilioHttpClient
from twilio.rest import Client


class Local(TwilioHttpClient):
    def request(self, method, url, *args, **named):
        return super().request(method, os.environ["BASE_URL"] + "/x", *args, **named)


client = Client("AC" + "0" * 32, "t", http_client=Local())
client.messages.create(to="+1", from_="+2", body="x")
