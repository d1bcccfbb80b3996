"""What a set of starting points reaches through resolved calls, and the shortest chain to each function reached."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from itertools import count
from typing import NamedTuple

from flake8_deadline.facts import Call, Loop
from flake8_deadline.places import Place, Site, Timed
from flake8_deadline.project.calls import Calls, Resolution
from flake8_deadline.project.inference import Inference
from flake8_deadline.project.objects import FunctionRef

_MOST_FRAMES = 24
"""In how many ways (receivers, functions passed) one function is followed before it is followed without them."""


class Edge(NamedTuple):
    caller: FunctionRef
    site: Site
    iterates: bool

    @property
    def place(self) -> Place | None:
        """What stands around the call; one that is made for each of several items (`map`) stands in a loop."""
        if not self.iterates:
            return self.site.place
        return Place("loop", Loop(self.site.step.line, 0, "comprehension", None, (), ()), self.site.place)


class Reach:
    """Everything that `roots` reach. Functions are frames: one function called with different receivers or callbacks is followed for each."""

    def __init__(self, inference: Inference, calls: Calls, roots: Iterable[FunctionRef]) -> None:
        self._inference = inference
        self._calls = calls
        self.roots = tuple(dict.fromkeys(roots))
        self.starts = frozenset(self.roots)
        self.resolved: dict[FunctionRef, tuple[Resolution, ...]] = {}
        """For each function reached, what each of its sites means, in their order."""
        self.callers: dict[FunctionRef, list[Edge]] = {}
        self._frames: dict[tuple[str, str], set[FunctionRef]] = {}
        self._turns: dict[tuple[str, str], dict[FunctionRef, int]] = {}
        """The frames resolved of each function, with when that was."""
        self._turn = count()
        self._explore()
        self._parents: dict[FunctionRef, Edge | None] = {}
        self._lengths: dict[FunctionRef, int] = {}
        self._shorten()
        self._connect()

    def sites(self, frame: FunctionRef) -> tuple[Site, ...]:
        return self._inference.modules.source(frame.path).sites(frame.qualname)

    def resolve(self, step: Timed, frame: FunctionRef) -> Resolution:
        return self._calls.resolve(step, frame)

    def chain(self, frame: FunctionRef) -> list[tuple[FunctionRef, Site | None]]:
        """From a root to this function: each function with the site at which it calls the next one (None for the last)."""
        links: list[tuple[FunctionRef, Site | None]] = [(frame, None)]
        while (edge := self._parents[links[-1][0]]) is not None:
            links.append((edge.caller, edge.site))
        return links[::-1]

    def length(self, frame: FunctionRef) -> int:
        """How many functions the chain to this one has."""
        return self._lengths[frame]

    def marked(self, marks: Mapping[FunctionRef, str]) -> dict[FunctionRef, set[str]]:
        """The marks of the roots that reach each function."""
        found: dict[FunctionRef, set[str]] = {}
        waiting = deque(marks.items())
        while waiting:
            frame, mark = waiting.popleft()
            if mark not in found.setdefault(frame, set()):
                found[frame].add(mark)
                waiting.extend((target, mark) for resolution in self.resolved.get(frame, ()) for target in resolution.targets)
        return found

    def _explore(self) -> None:
        waiting = deque(self.roots)
        while waiting:
            frame = waiting.popleft()
            if frame not in self.resolved:
                self.resolved[frame] = found = self._resolve_all(frame)
                self._turns.setdefault(frame[:2], {})[frame] = next(self._turn)
                waiting.extend(target for resolution in found for target in resolution.targets)
                waiting.extend(self._forget_informed(frame, found))

    def _connect(self) -> None:
        """Keep what the roots still reach (what was forgotten may have been the only caller), and note who calls whom."""
        self.resolved = {frame: self.resolved[frame] for frame in self._parents}
        for frame, found in self.resolved.items():
            for site, resolution in zip(self.sites(frame), found):
                for target in resolution.targets:
                    self.callers.setdefault(target, []).append(Edge(frame, site, resolution.iterates))

    def framed(self, target: FunctionRef) -> FunctionRef:
        """The frame in which a function was followed that is called like this."""
        for known in (target, target._replace(given=()), target._replace(given=(), receiver=None)):
            if known in self.resolved:
                return known
        return target

    def _framed(self, target: FunctionRef) -> FunctionRef:
        frames = self._frames.setdefault((target.path, target.qualname), set())
        if target not in frames and len(frames) >= _MOST_FRAMES:
            target = target._replace(given=(), receiver=None)
        frames.add(target)
        return target

    def _resolve_all(self, frame: FunctionRef) -> tuple[Resolution, ...]:
        return tuple([self._resolve(site.step, frame) for site in self.sites(frame)])

    def _resolve(self, step: Timed, frame: FunctionRef) -> Resolution:
        resolution = self._calls.resolve(step, frame)
        if not resolution.targets:
            return resolution
        return resolution._replace(targets=tuple([self._framed(target) for target in resolution.targets]))

    def _forget_informed(self, frame: FunctionRef, found: tuple[Resolution, ...]) -> list[FunctionRef]:
        """The functions about whose parameters these calls say something new; what was resolved in them is forgotten."""
        informed: set[tuple[str, str]] = set()
        for site, resolution in zip(self.sites(frame), found):
            if isinstance(site.step, Call):
                informed |= {target[:2] for target in resolution.targets if self._inform(target, site.step, frame)}
        turns = {known: turn for function in informed for known, turn in self._turns.pop(function, {}).items()}
        for known in turns:
            del self.resolved[known]
        return sorted(turns, key=turns.__getitem__)

    def _inform(self, target: FunctionRef, call: Call, frame: FunctionRef) -> bool:
        news = False
        for name, objects in list(self._inference.arguments.passed(target, call, frame)):
            news |= self._inference.passes(target, name, objects)
        return news

    def _shorten(self) -> None:
        """Note the shortest way to each function."""
        self._parents.update(dict.fromkeys(sorted(self.roots, key=repr)))
        self._lengths.update(dict.fromkeys(self._parents, 1))
        waiting = deque(self._parents)
        while waiting:
            frame = waiting.popleft()
            for site, resolution in zip(self.sites(frame), self.resolved[frame]):
                for target in resolution.targets:
                    if target not in self._parents:
                        self._parents[target] = Edge(frame, site, resolution.iterates)
                        self._lengths[target] = self._lengths[frame] + 1
                        waiting.append(target)
