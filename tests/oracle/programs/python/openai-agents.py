# oracle: ai; 503 400 refuse
from agents import Agent, Runner, set_tracing_disabled

set_tracing_disabled(True)
Runner.run_sync(Agent(name="a", model="gpt-4o"), "hi")
