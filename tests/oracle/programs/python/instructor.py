# oracle: ai; 503 429 400 refuse
import instructor
import openai
from pydantic import BaseModel


class User(BaseModel):
    name: str


client = instructor.from_openai(openai.OpenAI())
client.chat.completions.create(response_model=User, model="m", messages=[{"role": "user", "content": "hi"}])
