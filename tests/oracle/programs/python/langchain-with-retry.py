# oracle: ai; 503 refuse
from langchain_openai import ChatOpenAI

model = ChatOpenAI(model="m").with_retry(stop_after_attempt=2)
model.invoke("hi")
