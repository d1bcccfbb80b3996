"""All findings of a project: every rule that is asked for, over all files. Which findings are printed is the front ends' business."""

from __future__ import annotations

import gc
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

import msgspec
from msgspec import Struct

from flake8_deadline.facts import Call
from flake8_deadline.index import FileError, Index
from flake8_deadline.options import Options
from flake8_deadline.project import Project
from flake8_deadline.rule import Finding
from flake8_deadline.rules import RULES

__all__ = ["Analysis", "FileError", "Statistics", "analyse"]


class Statistics(Struct, frozen=True):
    """Counts of one run. `parsed` of `files` were parsed, the others cannot matter; calls are those of the functions reached."""

    files: int = 0
    parsed: int = 0
    tasks: int = 0
    functions: int = 0
    calls: int = 0
    unresolved_calls: int = 0
    suppressed: int = 0


class Analysis(Struct, frozen=True):
    root: str
    findings: tuple[Finding, ...]
    errors: tuple[FileError, ...]
    statistics: Statistics


def analyse(options: Options, overrides: Mapping[str, bytes] | None = None, paths: Sequence[str] = ()) -> Analysis:
    """The findings of the default rules and of those in `options.enable`, in all files under `options.root` (absolute), sorted.

    `overrides` maps paths to texts that stand in for the files' own. `paths` are files named by the user: they are always parsed, so that
    a syntax error in them is among the errors. A result that nothing could have changed is recalled from the cache.
    """
    index = Index(options, overrides or {}, paths)
    recalled = index.recall([msgspec.json.encode((options, sorted(paths)))])
    if recalled is not None:
        try:
            analysis = msgspec.msgpack.decode(recalled, type=Analysis)
        except (msgspec.MsgspecError, RecursionError):
            pass
        else:
            index.save()
            return analysis
    with _collector_paused():
        analysis = _run(index, options)
    if index.names:  # a run in a directory without Python leaves nothing behind
        index.remember(msgspec.msgpack.encode(analysis))
        index.save()
    return analysis


@contextmanager
def _collector_paused() -> Iterator[None]:
    """The facts of a project are many, and none of them is garbage before the end: to look for some again and again costs a third of the time.

    An earlier run in this process has left all of its own.
    """
    gc.collect()
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _run(index: Index, options: Options) -> Analysis:
    project = Project(index, options)
    findings = {finding for rule in RULES if rule.default or rule.code in options.enable for finding in rule.check(project)}
    for path in index.doubtful():
        project.modules.source(path)
    return Analysis(options.root, tuple(sorted(findings)), index.errors(), _statistics(project, index))


def _statistics(project: Project, index: Index) -> Statistics:
    reach = project.reach
    resolutions = [
        resolution for frame, found in reach.resolved.items() for site, resolution in zip(reach.sites(frame), found) if isinstance(site.step, Call)
    ]
    return Statistics(
        files=len(index.names),
        parsed=len(project.modules.read),
        tasks=len(project.tasks),
        functions=len({frame[:2] for frame in reach.resolved}),
        calls=len(resolutions),
        unresolved_calls=sum(not resolution.known for resolution in resolutions),
    )
