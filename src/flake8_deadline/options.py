"""The options of the product, once: the same for the plugin and for every command.

Everything works with none of them set. How they are written in a configuration file or on a command line is flake8's business and the
front ends'; here they are values already.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

Scope = Literal["tasks", "everywhere"]


class Options(Struct, frozen=True):
    root: str = ""
    """Absolute path of the project root; empty: found from the configuration file or the repository."""
    enable: tuple[str, ...] = ()
    """Default-off codes to report."""
    scope: Scope = "tasks"
    """"everywhere" treats all code as reached by a task."""
    task_decorators: tuple[str, ...] = ()
    """Dotted names that make a function a task, besides the known ones."""
    signals: tuple[str, ...] = ()
    """Dotted names of further exceptions to treat as the deadline signal."""
    cheap_calls: tuple[str, ...] = ()
    """Dotted names of calls in which no time can pass."""
    exclude_from_index: tuple[str, ...] = ()
    """Glob patterns, relative to the root, of files the index does not read."""
    cache_dir: str = ""
    """Directory for the cache; empty: `.flake8_deadline_cache` in the root; "none": no cache."""
    versions: tuple[tuple[str, str], ...] = ()
    """What the project's requirement and lock files pin: distribution and version, sorted."""
    celery_version: str = ""
