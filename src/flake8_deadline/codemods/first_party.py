"""The top-level packages of a project: what its import lines name when they mean the project itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flake8_deadline.tree import source_roots

if TYPE_CHECKING:
    from flake8_deadline.tree import Tree


def first_party(tree: Tree) -> frozenset[str]:
    """The names of packages and modules directly in a directory that absolute imports can start from."""
    names: set[str] = set()
    for root in source_roots(tree):
        prefix = root and root + "/"
        inner = (path.removeprefix(prefix) for path in tree.files if path.startswith(prefix))
        names.update(path.partition("/")[0].removesuffix(".py") for path in inner)
    return frozenset(names)
