"""What a name can mean once all files are known. Plain hashable values; who means what is found by `inference`."""

from __future__ import annotations

from typing import NamedTuple, Union


class Module(NamedTuple):
    """A module or package of the project; a package without `__init__.py` has no path."""

    name: str
    path: str | None
    folder: str | None = None
    """Where a package without `__init__.py` lies, if its import said so."""


class External(NamedTuple):
    """Something outside of the project, by dotted name; `()` marks an instance or a call's result: `requests.Session().get`."""

    name: str


class ClassRef(NamedTuple):
    path: str
    qualname: str


class Instance(NamedTuple):
    """An instance of a class of the project; `exact` where it is of this class and no subclass."""

    cls: ClassRef
    exact: bool = False


class FunctionRef(NamedTuple):
    """A function of the project, with what is known of the names around it: `receiver` for its first parameter, `given` for parameters and
    enclosing variables that hold functions or classes. It is also the frame in which the values of its body are evaluated.
    """

    path: str
    qualname: str
    receiver: Instance | ClassRef | Rows | None = None
    given: tuple[tuple[str, Object], ...] = ()


class Maker(NamedTuple):
    """A task decorator with its options: name, and the constant given (None where it is no constant)."""

    options: tuple[tuple[str, Object | int | float | str | bool | None], ...] = ()
    open: bool = False
    """Whether options came in that cannot be seen (`**options`)."""
    base: ClassRef | None = None
    queue: str = "celery"
    """`queues.Queue.name`."""


class Task(NamedTuple):
    """A task: the function that the worker runs, the function as written (the same unless decorators stand below the task's), its maker."""

    runs: FunctionRef
    written: FunctionRef
    maker: Maker


class Rows(NamedTuple):
    """A Django manager or queryset of a model, through a manager class of the project if there is one."""

    model: ClassRef | External
    manager: ClassRef | None = None
    plain: bool = False
    """Whether its rows are dicts or tuples (`values`, `values_list`)."""


class RowsMethod(NamedTuple):
    rows: Rows
    name: str


class Many(NamedTuple):
    """A collection whose elements may be any of these."""

    of: frozenset[Object]


class Super(NamedTuple):
    """`super()`: attributes are looked up in these classes, bound to this receiver."""

    classes: tuple[ClassRef | External, ...]
    receiver: Instance | ClassRef | Rows


Object = Union[Super, Module, External, ClassRef, Instance, FunctionRef, Maker, Task, Rows, RowsMethod, Many]
Objects = frozenset[Object]
NOTHING: Objects = frozenset()


def instance_of(cls: ClassRef | External, exact: bool = False) -> Object:
    """An instance of a class, of the project or not."""
    return Instance(cls, exact) if isinstance(cls, ClassRef) else External(f"{cls.name}()")
