# oracle: ai; 502 400
import os

from firecrawl import Firecrawl

client = Firecrawl(api_key="k", api_url=os.environ["BASE_URL"])
client.scrape("http://x.example.com")
