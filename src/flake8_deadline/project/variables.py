"""Which calls look a variable of the environment up, by the shapes in which it is written; its name, its default, what it is turned into.

`os.environ`, django-environ, environs, python-decouple, pydantic's settings and a project's own function for it, which is known by its name.
What the variable holds is decided by who knows the environment.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import timedelta
from typing import NamedTuple, Union

from flake8_deadline.facts import Call, Class, Constant, Table, Value
from flake8_deadline.project.time import last_name

Scalar = Union[int, float, str, timedelta, None]
Cast = Callable[..., Scalar]

CASTS: Mapping[str, Cast] = {"int": int, "float": float, "str": str, "round": round, "abs": abs}


class Lookup(NamedTuple):
    variable: str
    default: Value = None
    has_default: bool = False
    cast: Cast | None = None


def lookup(call: Call) -> Lookup | None:
    """What a call looks up: `os.environ.get("X", 60)`, `env.int("X", default=60)`, `config("X", cast=int)`, `get_int_from_env("X", 60)`."""
    first = call.args[0] if call.args else None
    if not isinstance(first, Constant) or not isinstance(first.value, str) or not _asks(call.func):
        return None
    keywords, rest = dict(call.keywords), [argument for argument in call.args[1:] if argument not in CASTS]
    given = next((keywords[name] for name in ("default", "fallback") if name in keywords), rest[0] if rest else None)
    return Lookup(first.value, given, bool(rest) or not keywords.keys().isdisjoint(("default", "fallback")), _cast(call, keywords))


def _asks(func: Value) -> bool:
    return isinstance(func, str) and ("env" in func.lower() or func.partition(".")[0] == "config")


def _cast(call: Call, keywords: Mapping[str, Value]) -> Cast | None:
    given = (keywords.get("cast"), *call.args[1:])
    name = next((value for value in given if isinstance(value, str) and value in CASTS), last_name(call.func) or "")
    return float if "float" in name else int if "int" in name else None


def field(cls: Class, name: str, value: Value, hinted: Value) -> Lookup:
    """The variable that gives an attribute of a class of pydantic's settings its value: by its name, unless the field names another."""
    prefix, default, variable = "", value, ""
    for config in cls.bindings.get("model_config", ()):
        prefix = next((text for key, text in _texts(config) if key == "env_prefix"), prefix)
    if isinstance(value, Call) and last_name(value.func) == "Field":
        variable = next((text for key, text in _texts(value) if key in ("env", "validation_alias", "alias")), "")
        default = next((given for key, given in value.keywords if key == "default"), value.args[0] if value.args else None)
    has_default = value is not None and default != "..."
    return Lookup(variable or (prefix + name).upper(), default, has_default, float if hinted == "float" else int if hinted == "int" else None)


def _texts(value: Value) -> Iterator[tuple[str, str]]:
    """The texts that a dict, or a call that makes one, holds by name."""
    pairs = value.keywords if isinstance(value, Call) else ()
    if isinstance(value, Table):
        pairs = tuple((str(key.value), item) for key, item in value.items if isinstance(key, Constant))
    for name, item in pairs:
        if isinstance(item, Constant) and isinstance(item.value, str):
            yield name, item.value
