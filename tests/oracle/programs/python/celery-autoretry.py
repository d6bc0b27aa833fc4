# oracle: services; 503 400 refuse
import requests
from celery import Celery

app = Celery("t", broker="memory://")
app.conf.task_always_eager = True


@app.task(autoretry_for=(Exception,))
def work():
    requests.get("http://api.example.com/x").raise_for_status()


work.delay()
