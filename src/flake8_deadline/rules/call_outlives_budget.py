"""One call may wait for longer than its task may take, or for ever.

Why
    A request, a child process or a lock that is waited for without a timeout takes the whole budget of its task when the other side hangs,
    and every other item pays for it. So does a client whose patience is greater than the task's: OpenAI's and Anthropic's wait 600 s and try
    twice again, half an hour under a soft limit of two minutes. Some of them even take the deadline for a connection that failed, and retry.

Bad
    import requests
    from celery import shared_task


    # a page of 200 rates, 5 s at worst
    @shared_task(soft_time_limit=60, time_limit=90)
    def fetch_rates(url):
        return requests.get(url).json()

Good
    import requests
    from celery import shared_task


    # a page of 200 rates, 5 s at worst
    @shared_task(soft_time_limit=60, time_limit=90)
    def fetch_rates(url):
        return requests.get(url, timeout=5).json()

Not reported
    Calls that no Celery task reaches. Timeouts that cannot be read. A client with a patience of its own, where the soft limit of the task that
    is nearest to the call cannot be read or is set by nobody in the source. Locks and queues within one process. Waits of libraries that
    are not known: `requests`, `urllib`, `subprocess`, Redis' locks, OpenAI's and Anthropic's clients are.

Fix
    None: how long the other side may take is a decision about the product.
"""

from __future__ import annotations

from collections.abc import Iterator

from flake8_deadline import chains
from flake8_deadline.budget.defaults import has_limits, is_annotated
from flake8_deadline.budget.limits import SOFT, own, quantities, settings
from flake8_deadline.project import Declared, Project
from flake8_deadline.project.objects import FunctionRef
from flake8_deadline.project.waits import Waiting, Waits
from flake8_deadline.rule import Finding, Link, Rule


def check(project: Project) -> Iterator[Finding]:
    if not project.known:
        return
    waits = Waits(project.inference, quantities(project))
    found: dict[tuple[str, int, int], tuple[int, str, FunctionRef, Declared, Waiting]] = {}
    for frame in project.reach.resolved:
        for site in project.reach.sites(frame):
            for waiting in waits.of(site.step, frame):
                declared = project.task_of[project.reach.chain(frame)[0][0]]
                candidate = (project.reach.length(frame), repr(frame), frame, declared, waiting)
                key = (frame.path, waiting.call.line, waiting.call.column)
                if has_limits(declared) and (key not in found or candidate[:2] < found[key][:2]):
                    found[key] = candidate
    for _, _, frame, declared, waiting in found.values():
        yield from _finding(project, frame, declared, waiting)


def _finding(project: Project, frame: FunctionRef, declared: Declared, waiting: Waiting) -> Iterator[Finding]:
    origin = chains.start(project, project.reach, frame)
    call = waiting.call
    if waiting.worst is None:
        message = f"no timeout: {waiting.name} waits for as long as it takes ({origin}); give it a {waiting.keyword}"
    else:
        soft = _soft(project, declared)
        if soft is None or waiting.worst <= soft:
            return
        tries = f"{waiting.attempts} times {waiting.timeout:g} s" if waiting.attempts > 1 else f"{waiting.timeout:g} s"
        less = "a smaller timeout or fewer retries" if waiting.attempts > 1 else "a smaller timeout"
        message = f"call outlives its budget: {waiting.name} may wait {tries}, the task has {soft:g} s ({origin}); give it {less}"
    chain = (*chains.down(project, project.reach, frame), Link(frame.path, call.line, f"waits in {waiting.name}"))
    yield Finding(frame.path, call.line, call.column + 1, RULE.code, RULE.name, message, chain)


def _soft(project: Project, declared: Declared) -> float | None:
    """The soft limit that the source gives a task, the greatest where settings differ; None where it cannot be read."""
    given = own(project, declared, SOFT)
    if given is not None:
        return given.seconds
    if is_annotated(project, declared):
        return None
    modules = [module.soft.seconds if module.soft else None for module in settings(project)]
    known = [seconds for seconds in modules if seconds is not None]
    return max(known) if known and len(known) == len(modules) else None


RULE = Rule("LIM304", "call-outlives-budget", check, default=True)
