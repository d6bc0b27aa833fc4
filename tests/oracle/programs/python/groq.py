# oracle: core; 503 429 500 409 400 drop refuse
import groq

client = groq.Groq()
client.chat.completions.create(model="m", messages=[{"role": "user", "content": "hi"}])
