# oracle: ai; 503 429 400 refuse
from langchain_openai import ChatOpenAI

ChatOpenAI(model="m").invoke("hi")
