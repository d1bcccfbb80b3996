"""In which calls time can pass, so that a deadline can realistically strike there."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_deadline import libraries
from flake8_deadline.facts import Attr, Call, Constant, Value
from flake8_deadline.project.inference import Inference
from flake8_deadline.project.objects import External, FunctionRef, Object, Objects, Rows, RowsMethod
from flake8_deadline.project.receivers import receiver


class Time:
    """`cheap` are further names, as in `libraries.CHEAP`, of calls in which no time can pass."""

    def __init__(self, inference: Inference, cheap: frozenset[str]) -> None:
        self._inference = inference
        self._cheap = libraries.CHEAP | cheap

    def passes(self, call: Call, objects: Objects, frame: FunctionRef) -> bool:
        """Whether time can pass in a call of something outside of the project. Nobody knows what it means: then its name decides."""
        if objects:
            return any(self._passes_in(o, call, frame) for o in objects)
        method = last_name(call.func)
        if method in libraries.STRING_METHODS and self._is_no_string(call, frame):
            return True
        if method in libraries.CHEAP_METHODS or method in libraries.LAZY_QUERIES:
            return False
        if method == "update":
            return not call.args
        return method != "get" or not (len(call.args) == 2 or (call.args and isinstance(call.args[0], Constant)))

    def _is_no_string(self, call: Call, frame: FunctionRef) -> bool:
        """Whether the function does something with the receiver that it could not do with a string, nor with any value of the language."""
        owner, _ = receiver(call.func)
        sites = self._inference.modules.source(frame.path).sites(frame.qualname) if isinstance(owner, str) and "." not in owner else ()
        others = {receiver(site.step.func) for site in sites if isinstance(site.step, Call)}
        return any(of == owner and method not in libraries.OF_VALUES for of, method in others)

    def _passes_in(self, o: Object, call: Call, frame: FunctionRef) -> bool:
        if isinstance(o, RowsMethod):
            return o.name not in libraries.LAZY_QUERIES
        if not isinstance(o, External):
            return False
        if o.name in libraries.RUN_QUERIES and any(isinstance(passed, Rows) for a in call.args[:1] for passed in self._inference.evaluate(a, frame)):
            return True
        owner, _, method = o.name.rpartition(".")
        if method in libraries.CLOSING and any(word in owner.rpartition(".")[2].lower() for word in libraries.CONNECTIONS):
            return False
        if method in libraries.CHEAP_METHODS and not _is_instance_of_class(owner):
            return False
        return not any(name in self._cheap for name in _covering(o.name.replace("()", "")))


def _is_instance_of_class(owner: str) -> bool:
    """Whether a receiver is made by a class, as its capital says: then its methods are its own."""
    return owner.endswith("()") and owner.rpartition(".")[2][:1].isupper()


def last_name(value: Value) -> str:
    """The last name of a dotted value or an attribute."""
    if isinstance(value, Attr):
        return value.name
    return value.rpartition(".")[2] if isinstance(value, str) else ""


def _covering(name: str) -> Iterator[str]:
    """The entries that would cover a dotted name: itself, and every prefix with its dot."""
    yield name
    while "." in name:
        name = name.rpartition(".")[0]
        yield f"{name}."
