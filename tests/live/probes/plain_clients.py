import urllib.request

import httpx
import kombu
import redis
import requests
import strike
import urllib3
from redis.backoff import NoBackoff
from redis.retry import Retry
from requests.adapters import HTTPAdapter


@strike.probe("httpx", "httpx.get")
def httpx_get(server):
    return lambda: httpx.get(server.url, timeout=60)


@strike.probe("httpx", "httpx.Client().get")
def httpx_with_retries(server):
    client = httpx.Client(transport=httpx.HTTPTransport(retries=5), timeout=60)
    return lambda: client.get(server.url)


@strike.probe("requests", "requests.get")
def requests_get(server):
    return lambda: requests.get(server.url, timeout=60)


@strike.probe("requests", "requests.Session().get")
def requests_with_retries(server):
    session = requests.Session()
    session.mount("http://", HTTPAdapter(max_retries=urllib3.Retry(20)))
    return lambda: session.get(server.url)


@strike.probe("urllib3", "urllib3.PoolManager().request")
def urllib3_with_retries(server):
    return lambda: urllib3.PoolManager(retries=20).request("GET", server.url)


@strike.probe("python", "urllib.request.urlopen")
def urlopen(server):
    return lambda: urllib.request.urlopen(server.url)  # noqa: S310 - our own server


@strike.probe("redis", "redis.Redis().get")
def redis_with_retries(server):
    client = redis.Redis(port=server.port, retry=Retry(NoBackoff(), 5))
    return lambda: client.get("x")


@strike.probe("kombu", "kombu.Connection().Producer().publish")
def publish(server):
    def call():
        with kombu.Connection(f"amqp://guest@127.0.0.1:{server.port}//") as connection:
            connection.Producer().publish({}, routing_key="x", retry=True, retry_policy={"max_retries": 3})

    return call


strike.report()
