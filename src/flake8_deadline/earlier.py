"""What is known when a clause begins to run: the constants that names were given on the straight way to its `try`.

`ok = False` before the `try` and `ok = True` at the end of its body tell a later `if not ok: return` which way to go.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from flake8_deadline.facts import Assign, Branch, Loop, Step, Try, With
from flake8_deadline.places import Place, Timed, sites
from flake8_deadline.truth import State, assigned


def known_at(place: Place, strikes: Callable[[Timed], bool]) -> State:
    """The state in which a clause of the `try` at this place starts; `strikes` says whether a deadline can strike in a step of its body."""
    state = State()
    for around in reversed(list(_outwards(place.outer))):
        if isinstance(around.node, Loop):
            state = _without(state, around.node.body)
        for step in around.before:
            state = assigned(step, state) if isinstance(step, Assign) else _without(state, [step])
    return _without(state, _before_last_strike(place.node, strikes)) if isinstance(place.node, Try) else state


def _outwards(place: Place | None) -> Iterator[Place]:
    while place is not None:
        yield place
        place = place.outer


def _before_last_strike(node: Try, strikes: Callable[[Timed], bool]) -> tuple[Step, ...]:
    """The steps of a body that may have run when the deadline struck."""
    for index in range(len(node.body), 0, -1):
        if any(strikes(site.step) for site in sites(node.body[index - 1 : index])):
            return node.body[:index]
    return ()


def _without(state: State, steps: Iterable[Step]) -> State:
    """The state without what any of these steps may have changed."""
    changed = {assign.name for assign in _assigns(steps)}
    return state._replace(flags=frozenset(flag for flag in state.flags if flag[0] not in changed)) if changed else state


def _assigns(steps: Iterable[Step]) -> Iterator[Assign]:
    for step in steps:
        match step:
            case Assign():
                yield step
            case Branch():
                for arm in step.arms:
                    yield from _assigns(arm)
            case Loop():
                yield from _assigns((*step.body, *step.otherwise))
            case Try():
                handled = [inner for handler in step.handlers for inner in handler.body]
                yield from _assigns((*step.body, *handled, *step.otherwise, *step.final))
            case With():
                yield from _assigns(step.body)
