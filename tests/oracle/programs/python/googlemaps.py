# oracle: services; 400
import os

import googlemaps

client = googlemaps.Client("AIzaX", base_url=os.environ["BASE_URL"])
client.geocode("x")
