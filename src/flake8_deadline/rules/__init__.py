"""The rules, one module each, named for the fault. The tuple is explicit: its order is visible and importing has no effect."""

from __future__ import annotations

from flake8_deadline.rule import Rule
from flake8_deadline.rules import (
    bare_sweep,
    deadline_swallowed_in_helper,
    deadline_swallowed_in_loop,
    deadline_swallowed_unreached,
    limit_not_on_the_task,
    task_without_limit,
)

RULES: tuple[Rule, ...] = (
    deadline_swallowed_in_loop.RULE,
    deadline_swallowed_in_helper.RULE,
    deadline_swallowed_unreached.RULE,
    bare_sweep.RULE,
    task_without_limit.RULE,
    limit_not_on_the_task.RULE,
)
