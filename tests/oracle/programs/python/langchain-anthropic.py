# oracle: ai; 529 429 400 refuse
from langchain_anthropic import ChatAnthropic

ChatAnthropic(model="m").invoke("hi")
