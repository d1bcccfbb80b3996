import strike
from langchain_anthropic import ChatAnthropic
from langchain_openai import ChatOpenAI


@strike.probe("openai", "langchain_openai.ChatOpenAI().invoke")
def chat_openai(server):
    model = ChatOpenAI(api_key="x", base_url=server.url, model="m")
    return lambda: model.invoke("x")


@strike.probe("openai", "langchain_openai.ChatOpenAI().invoke", max_retries=0)
def chat_openai_without_retries(server):
    model = ChatOpenAI(api_key="x", base_url=server.url, model="m", max_retries=0)
    return lambda: model.invoke("x")


@strike.probe("anthropic", "langchain_anthropic.ChatAnthropic().invoke")
def chat_anthropic(server):
    model = ChatAnthropic(api_key="x", base_url=server.url, model="m")
    return lambda: model.invoke("x")


@strike.probe("anthropic", "langchain_anthropic.ChatAnthropic().invoke", max_retries=0)
def chat_anthropic_without_retries(server):
    model = ChatAnthropic(api_key="x", base_url=server.url, model="m", max_retries=0)
    return lambda: model.invoke("x")


strike.report()
