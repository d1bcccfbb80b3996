"""The files of the project as modules: which file an import means, and what stands in a file. Reads a file only when it is asked for."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import takewhile
from typing import Protocol

from flake8_deadline.facts import Class, Function, Imported, Outline, Summary
from flake8_deadline.places import Site, sites, tries
from flake8_deadline.project.objects import External, Module

LIBRARIES = frozenset(sys.stdlib_module_names) | frozenset(
    """
    celery billiard kombu rq django_rq flask_rq2 rq_scheduler huey dramatiq django_q arq django rest_framework flask requests
    """.split()
)
"""Top-level names that an absolute import never means a file of the project by."""


class Files(Protocol):
    """The project's Python files, by path relative to its root."""

    @property
    def names(self) -> Mapping[str, Sequence[str]]:
        """Path to the dotted names it can be imported by, the likeliest first."""

    def outline(self, path: str) -> Outline: ...

    def summary(self, path: str) -> Summary: ...

    def mentions(self, words: Iterable[str], among: Iterable[str] | None = None) -> Iterable[str]:
        """The paths of the files (all, or these) whose bytes hold one of these words, one by one."""


class Source:
    """One file, its functions and classes by qualified name."""

    def __init__(self, path: str, summary: Summary) -> None:
        self.path = path
        self.summary = summary
        self.functions: dict[str, Function] = {function.qualname: function for function in summary.functions}
        self.classes: dict[str, Class] = {cls.qualname: cls for cls in summary.classes}
        self._sites: dict[str, tuple[Site, ...]] = {}
        self._positions: dict[str, dict[int, int]] = {}

    @cached_property
    def body(self) -> Function | None:
        return self.functions.get("")

    @cached_property
    def caught(self) -> frozenset[str]:
        """The names by which clauses of this file say what they catch."""
        guards = (guard for function in self.summary.functions for guard in tries(function.steps))
        return frozenset(handler.catches for guard in guards for handler in guard.handlers if isinstance(handler.catches, str))

    @cached_property
    def methods(self) -> dict[str, list[Function]]:
        """The functions that stand in the body of each class."""
        found: dict[str, list[Function]] = {}
        for function in self.summary.functions:
            if function.owner is not None:
                found.setdefault(function.owner, []).append(function)
        return found

    @cached_property
    def attributes(self) -> dict[str, dict[str, list[Function]]]:
        """For each class and attribute, the methods that give it a value: `self.name = …`."""
        found: dict[str, dict[str, list[Function]]] = {}
        for cls, methods in self.methods.items():
            given = found.setdefault(cls, {})
            for method in methods:
                own = f"{method.parameters[0].name}." if method.parameters else "."
                for name in method.bindings:
                    if name.startswith(own):
                        given.setdefault(name.removeprefix(own), []).append(method)
        return found

    def classes_named(self, name: str) -> list[Class]:
        """The classes of this name, wherever in the file they stand."""
        return self._named.get(name, [])

    @cached_property
    def _named(self) -> dict[str, list[Class]]:
        found: dict[str, list[Class]] = {}
        for cls in self.classes.values():
            found.setdefault(cls.qualname.rpartition(".")[2], []).append(cls)
        return found

    def sites(self, qualname: str) -> tuple[Site, ...]:
        known = self._sites.get(qualname)
        if known is None:
            known = self._sites[qualname] = tuple(sites(self.functions[qualname].steps))
        return known

    def positions(self, qualname: str) -> dict[int, int]:
        """Where each step (by identity) stands among the sites of a function."""
        known = self._positions.get(qualname)
        if known is None:
            known = self._positions[qualname] = {id(site.step): position for position, site in enumerate(self.sites(qualname))}
        return known


class Modules:
    def __init__(self, files: Files) -> None:
        self.files = files
        self._sources: dict[str, Source] = {}
        self._paths: dict[str, list[str]] = {}
        self._packages: set[str] = set()
        self._classes: dict[str, list[str]] | None = None
        self._folders = {""}
        for path, names in files.names.items():
            folder = path.rpartition("/")[0]
            while folder not in self._folders:
                self._folders.add(folder)
                folder = folder.rpartition("/")[0]
            for name in names:
                self._paths.setdefault(name, []).append(path)
                package = name.rpartition(".")[0]
                while package and package not in self._packages:
                    self._packages.add(package)
                    package = package.rpartition(".")[0]

    @property
    def read(self) -> Mapping[str, Source]:
        """The files read so far."""
        return self._sources

    def source(self, path: str) -> Source:
        source = self._sources.get(path)
        if source is None:
            source = self._sources[path] = Source(path, self.files.summary(path))
        return source

    def module(self, name: str, importer: str = "") -> Module | External:
        """What a dotted module name means to the file that imports it."""
        if name.partition(".")[0] not in LIBRARIES:
            paths = self._paths.get(name)
            if paths:
                return Module(name, paths[0] if len(paths) == 1 else max(paths, key=lambda path: (_shared(path, importer), -len(path))))
            if name in self._packages:
                return Module(name, None)
        return External(name)

    def imported(self, path: str, imported: Imported) -> Module | External:
        """The module that an import statement of a file names (`from` part or plain import)."""
        if not imported.level:
            return self.module(imported.module, path)
        folder = path.split("/")[:-1]
        keep = len(folder) - (imported.level - 1)
        if keep < 0:
            return External(imported.module)
        parts = [*folder[:keep], *(imported.module.split(".") if imported.module else ())]
        return self._at("/".join(parts))

    def child(self, module: Module, name: str, importer: str) -> Module | None:
        """The submodule of a package."""
        if module.path is not None:
            if not module.path.endswith("/__init__.py"):
                return None
            found = self._at(f"{module.path.removesuffix('/__init__.py')}/{name}")
        elif module.folder is not None:
            found = self._at(f"{module.folder}/{name}".lstrip("/"))
        else:
            found = self.module(f"{module.name}.{name}", importer)
        return found if isinstance(found, Module) else None

    def class_named(self, name: str) -> tuple[str, str] | None:
        """Path and name of the one class of this name that is no test's and no migration's."""
        if self._classes is None:
            self._classes = {}
            for path in self.files.names:
                if not is_test(path) and "/migrations/" not in path:
                    for found, _ in self.files.outline(path).classes:
                        self._classes.setdefault(found, []).append(path)
        paths = self._classes.get(name, [])
        if len(paths) == 1 and name in self.source(paths[0]).classes:
            return paths[0], name
        return None

    def dotted(self, path: str) -> str:
        """The name to show for a file."""
        names = self.files.names.get(path)
        return names[0] if names else path.removesuffix(".py").replace("/", ".")

    def _at(self, stem: str) -> Module | External:
        for path in (f"{stem}/__init__.py", f"{stem}.py") if stem else ("__init__.py",):
            if path in self.files.names:
                return Module(stem.replace("/", "."), path)
        if stem in self._folders:
            return Module(stem.replace("/", "."), None, stem)
        return External(stem.replace("/", "."))


def is_test(path: str) -> bool:
    """Whether a file is a test by its place or name: what production code calls does not stand there."""
    folders, _, name = path.rpartition("/")
    if name.startswith("test_") or name.endswith("_test.py") or name in ("tests.py", "conftest.py"):
        return True
    return not {"tests", "test", "testing"}.isdisjoint(folders.split("/"))


def _shared(path: str, importer: str) -> int:
    """How many leading folders two paths share."""
    return sum(1 for _ in takewhile(lambda parts: parts[0] == parts[1], zip(path.split("/"), importer.split("/"))))
