import anthropic
import groq
import strike
from google import genai
from google.genai import types

MESSAGES = [{"role": "user", "content": "x"}]


@strike.probe("anthropic", "anthropic.Anthropic().messages.create")
def anthropic_message(server):
    client = anthropic.Anthropic(api_key="x", base_url=server.url)
    return lambda: client.messages.create(model="m", max_tokens=9, messages=MESSAGES)


@strike.probe("anthropic", "anthropic.Anthropic().messages.create", max_retries=0)
def anthropic_message_without_retries(server):
    client = anthropic.Anthropic(api_key="x", base_url=server.url, max_retries=0)
    return lambda: client.messages.create(model="m", max_tokens=9, messages=MESSAGES)


@strike.probe("groq", "groq.Groq().chat.completions.create")
def groq_completion(server):
    client = groq.Groq(api_key="x", base_url=server.url)
    return lambda: client.chat.completions.create(model="m", messages=MESSAGES)


@strike.probe("groq", "groq.Groq().chat.completions.create", max_retries=0)
def groq_completion_without_retries(server):
    client = groq.Groq(api_key="x", base_url=server.url, max_retries=0)
    return lambda: client.chat.completions.create(model="m", messages=MESSAGES)


@strike.probe("google-genai", "google.genai.Client().models.generate_content")
def gemini(server):
    options = types.HttpOptions(base_url=server.url, retry_options=types.HttpRetryOptions(attempts=3))
    client = genai.Client(api_key="x", http_options=options)
    return lambda: client.models.generate_content(model="m", contents="x")


strike.report()
