# oracle: ai; 503 400 refuse
from pydantic_ai import Agent
from pydantic_ai.models.openai import OpenAIChatModel

agent = Agent(OpenAIChatModel("m"))
agent.run_sync("hi")
