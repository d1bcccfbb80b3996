"""Ordinary errors and effects: whether one can come out of a call, and whether a call changes something outside of the process."""

from __future__ import annotations

from flake8_deadline import libraries
from flake8_deadline.facts import Call, Loop, Try, With
from flake8_deadline.flights import Flight
from flake8_deadline.places import Place, Site
from flake8_deadline.project.catching import externals
from flake8_deadline.project.deadlines import Deadlines
from flake8_deadline.project.objects import FunctionRef
from flake8_deadline.project.time import last_name
from flake8_deadline.project.world import FunctionWorld

_ERROR = Flight("error")


class Effects:
    def __init__(self, deadlines: Deadlines) -> None:
        self._deadlines = deadlines
        self._fails: dict[FunctionRef, bool] = {}
        self._changes: dict[FunctionRef, bool] = {}

    def fails_at(self, frame: FunctionRef, site: Site, within: Loop | None = None) -> bool:
        """Whether an ordinary error can come out of this call and leave the function (or, given a loop around it, the loop's turn)."""
        world = self._deadlines.worlds[frame]
        if not isinstance(site.step, Call) or _is_isolated(world, site.place, within):
            return False
        resolution = world.resolution(site.step)
        if resolution.targets:
            return any(self._fails_in(target) for target in resolution.targets)
        if last_name(site.step.func) in libraries.DISPATCH or libraries.HARMLESS & externals(resolution.objects):
            return False
        return self._deadlines.time.passes(site.step, resolution.objects, frame)

    def _fails_in(self, frame: FunctionRef) -> bool:
        known = self._fails.get(frame)
        if known is None:
            self._fails[frame] = False
            known = self._fails[frame] = any(self.fails_at(frame, site) for site in self._deadlines.worlds[frame].sites)
        return known

    def changes_at(self, frame: FunctionRef, call: Call) -> bool:
        """Whether a call changes something outside of the process, as far as can be seen. What nobody knows and is updated is taken for a dict."""
        resolution = self._deadlines.worlds[frame].resolution(call)
        if resolution.targets:
            return any(self._changes_in(target) for target in resolution.targets)
        if last_name(call.func) == "update" and not resolution.objects:
            return False
        if last_name(call.func) not in libraries.EFFECTS or libraries.RUN_QUERIES & externals(resolution.objects):
            return False
        return self._deadlines.time.passes(call, resolution.objects, frame)

    def _changes_in(self, frame: FunctionRef) -> bool:
        known = self._changes.get(frame)
        if known is None:
            self._changes[frame] = False
            calls = [site.step for site in self._deadlines.worlds[frame].sites if isinstance(site.step, Call)]
            known = self._changes[frame] = any(self.changes_at(frame, call) for call in calls)
        return known


def _is_isolated(world: FunctionWorld, place: Place | None, within: Loop | None) -> bool:
    """Whether a clause between a place and its function (or the loop) takes any error there and does not raise it again.

    What a clause itself does about a failed row is not held against it.
    """
    while place is not None and place.node is not within:
        if place.kind == "handler":
            return True
        if isinstance(place.node, With) and all(passage.flight is None for passage in world.contexts(place.node, _ERROR)):
            return True
        if place.kind == "body" and isinstance(place.node, Try):
            for handler in place.node.handlers:
                if world.takes(handler, _ERROR):
                    return world.verdicts.returns(handler.body)
        place = place.outer
    return False
