"""The rules, one module each, named for the fault. The tuple is explicit: its order is visible and importing has no effect."""

from __future__ import annotations

from flake8_deadline.rule import Rule
from flake8_deadline.rules import (
    bare_sweep,
    call_outlives_budget,
    clause_for_hard_limit_never_runs,
    dead_setting,
    deadline_caught_but_loop_goes_on,
    deadline_dropped_in_finally,
    deadline_retried,
    deadline_swallowed_by_context_manager,
    deadline_swallowed_in_helper,
    deadline_swallowed_in_loop,
    deadline_swallowed_unreached,
    isolation_inside_transaction,
    limit_not_on_the_task,
    soft_not_below_hard,
    task_ends_as_success,
    task_without_limit,
)

RULES: tuple[Rule, ...] = (
    deadline_swallowed_in_loop.RULE,
    deadline_swallowed_in_helper.RULE,
    deadline_swallowed_by_context_manager.RULE,
    deadline_dropped_in_finally.RULE,
    deadline_retried.RULE,
    deadline_caught_but_loop_goes_on.RULE,
    task_ends_as_success.RULE,
    deadline_swallowed_unreached.RULE,
    clause_for_hard_limit_never_runs.RULE,
    bare_sweep.RULE,
    isolation_inside_transaction.RULE,
    task_without_limit.RULE,
    soft_not_below_hard.RULE,
    call_outlives_budget.RULE,
    dead_setting.RULE,
    limit_not_on_the_task.RULE,
)
