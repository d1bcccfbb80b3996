import openai
import strike

MESSAGES = [{"role": "user", "content": "x"}]


@strike.probe("openai", "openai.OpenAI().chat.completions.create")
def completion(server):
    client = openai.OpenAI(api_key="x", base_url=server.url)
    return lambda: client.chat.completions.create(model="m", messages=MESSAGES)


@strike.probe("openai", "openai.OpenAI().chat.completions.create", max_retries=0)
def completion_without_retries(server):
    client = openai.OpenAI(api_key="x", base_url=server.url, max_retries=0)
    return lambda: client.chat.completions.create(model="m", messages=MESSAGES)


strike.report()
