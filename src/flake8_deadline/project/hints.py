"""Annotations: what a value with an annotation can be."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flake8_deadline.facts import Either, Item, Sequence, Value
from flake8_deadline.project.objects import NOTHING, ClassRef, External, FunctionRef, Instance, Many, Objects, Rows, instance_of

if TYPE_CHECKING:
    from flake8_deadline.project.inference import Inference

_ROWS = ("QuerySet", "Manager")
_MODEL = External("django.db.models.Model")
"""The model of rows whose annotation does not say, or not in the project."""
_OPTIONAL = frozenset({"typing.Optional", "typing.Union", "typing.Annotated", "typing.Final", "typing.ClassVar"})
_COLLECTIONS = frozenset(
    f"{module}.{name}"
    for module in ("typing", "builtins", "collections.abc")
    for name in (
        "List",
        "Set",
        "Tuple",
        "Sequence",
        "Iterable",
        "Iterator",
        "Generator",
        "Collection",
        "FrozenSet",
        "list",
        "set",
        "tuple",
        "frozenset",
    )
)
_TABLES = frozenset(
    f"{module}.{name}"
    for module in ("typing", "builtins", "collections", "collections.abc")
    for name in ("Dict", "DefaultDict", "OrderedDict", "Mapping", "MutableMapping", "dict", "defaultdict")
)


class Hints:
    def __init__(self, inference: Inference) -> None:
        self._inference = inference

    def hinted(self, hint: Value, frame: FunctionRef) -> Objects:
        """What a value with this annotation can be."""
        if isinstance(hint, Either):
            return frozenset().union(*[self.hinted(option, frame) for option in hint.options])
        if isinstance(hint, Item) and isinstance(hint.key, Sequence):
            return self._generic(hint, hint.key, frame)
        return self._plain(hint, frame)

    def _plain(self, hint: Value, frame: FunctionRef) -> Objects:
        found = [o for o in self._inference.evaluate(hint, frame) if isinstance(o, (ClassRef, External))]
        return frozenset(Rows(_MODEL) if isinstance(o, External) and o.name.endswith(_ROWS) else instance_of(o) for o in found)

    def _generic(self, hint: Item, parts: Sequence, frame: FunctionRef) -> Objects:
        names = {o.name for o in self._inference.evaluate(hint.of, frame) if isinstance(o, External)}
        if names & _OPTIONAL:
            return frozenset().union(*[self.hinted(part, frame) for part in parts.items])
        if names & {"typing.Type", "builtins.type"}:
            return self._inference.union(parts.items, frame)
        element = slice(1, 2) if names & _TABLES else slice(1)
        inner = frozenset().union(*[self.hinted(part, frame) for part in parts.items[element]])
        if any(name.endswith(_ROWS) for name in names):
            return frozenset(Rows(o.cls if isinstance(o, Instance) else _MODEL) for o in inner) or frozenset({Rows(_MODEL)})
        if names & (_COLLECTIONS | _TABLES):
            return frozenset({Many(inner)}) if inner else NOTHING
        return self._plain(hint.of, frame)
