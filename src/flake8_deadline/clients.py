"""How long calls of known libraries wait for somebody else, when nobody says how long they may: data. Seconds.

The defaults are the libraries' own: `requests` ("Timeouts": without one, a request may hang for ever), `urllib` and `subprocess` of the
standard library, redis-py's `Lock` (`blocking_timeout=None` waits for ever), the READMEs of openai and anthropic (600 s, two retries).
"""

from __future__ import annotations

from typing import NamedTuple


class Wait(NamedTuple):
    """A call that waits for as long as it takes, unless it is given a timeout."""

    keywords: tuple[str, ...] = ("timeout",)
    """The names under which it takes one."""
    position: int | None = None
    """Where it takes one without a name; None: nowhere."""


class Client(NamedTuple):
    """A client that stops waiting by itself, and tries again."""

    timeout: float
    retries: int


_REQUESTS = "get options head post put patch delete request".split()

WAITS: dict[str, Wait] = {
    **{f"requests.{method}": Wait() for method in _REQUESTS},
    **{f"requests.{session}().{method}": Wait() for session in ("Session", "session", "sessions.Session") for method in _REQUESTS},
    "urllib.request.urlopen": Wait(position=2),
    **{f"subprocess.{name}": Wait() for name in ("run", "call", "check_call", "check_output")},
    "subprocess.Popen().wait": Wait(position=0),
    "subprocess.Popen().communicate": Wait(position=1),
}
"""By dotted name; `()` stands for "an instance of"."""

LOCKS: dict[str, Wait] = {
    name: Wait(("blocking_timeout", "blocking"), 4)
    for name in ("redis.Redis().lock", "redis.StrictRedis().lock", "redis.client.Redis().lock", "redis.from_url().lock")
}
"""Calls whose result waits when a `with` enters it."""

CLIENTS: dict[str, Client] = {
    name: Client(600, 2)
    for name in (
        *("openai.OpenAI", "openai.AsyncOpenAI", "openai.AzureOpenAI", "openai.AsyncAzureOpenAI"),
        *("anthropic.Anthropic", "anthropic.AsyncAnthropic"),
    )
}
"""Classes of clients. `timeout` and `max_retries` are taken by the class, by `with_options` and, the former, by each call."""

ASKING = frozenset({"create", "parse", "generate", "edit"})
"""Methods of such a client that wait for an answer."""
