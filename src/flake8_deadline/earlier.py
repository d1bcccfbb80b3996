"""What is known when a clause begins to run: the constants that names were given on the straight way to its `try`.

`ok = False` before the `try` and `ok = True` at the end of its body tell a later `if not ok: return` which way to go.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import cast

from flake8_deadline.facts import Assign, Loop, Step, Try
from flake8_deadline.places import Place, Timed, assigned, sites
from flake8_deadline.truth import State, Truth, forgotten


def known_at(place: Place, truth: Truth, strikes: Callable[[Timed], bool]) -> State:
    """The state in which a clause of the `try` at this place starts; `strikes` says whether a deadline can strike in a step of its body."""
    state = State()
    for around in reversed(list(_outwards(place.outer))):
        if isinstance(around.node, Loop):
            state = forgotten(state, assigned([around.node]))
        for step in _ran(around):
            state = truth.assigned(step, state, None) if isinstance(step, Assign) else forgotten(state, assigned([step]))
    return forgotten(state, assigned(_before_last_strike(cast("Try", place.node), strikes)))


def _ran(place: Place) -> tuple[Step, ...]:
    """The steps that ran, or ran in part, on the way into a place."""
    if isinstance(place.node, Try) and place.kind in ("handler", "part"):
        return place.node.body if place.kind == "part" else (place.node,)
    return place.before


def _outwards(place: Place | None) -> Iterator[Place]:
    while place is not None:
        yield place
        place = place.outer


def _before_last_strike(node: Try, strikes: Callable[[Timed], bool]) -> tuple[Step, ...]:
    """The steps of a body that may have run when the deadline struck."""
    struck = [index for index, step in enumerate(node.body, 1) if any(strikes(site.step) for site in sites((step,)))]
    return node.body[: max(struck, default=0)]
