# oracle: services; 503 400 refuse
import requests
from celery import Celery

app = Celery("t", broker="memory://")
app.conf.task_always_eager = True


@app.task(bind=True)
def work(self):
    try:
        requests.get("http://api.example.com/x").raise_for_status()
    except requests.RequestException as error:
        raise self.retry(exc=error)


work.delay()
