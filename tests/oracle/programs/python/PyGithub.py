# oracle: core; 503 500 400 429ra drop refuse
import os

from github import Github

client = Github("t", base_url=os.environ["BASE_URL"])
client.get_user("x")
