# oracle: services; 503 500 429 400
import os

import spotipy

client = spotipy.Spotify(auth="k")
client.prefix = os.environ["BASE_URL"] + "/"
client.track("x")
