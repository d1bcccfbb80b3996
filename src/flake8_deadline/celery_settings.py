"""Which names of settings and options reach Celery, and which are read by nobody: data.

Measured on Celery 5.2 to 5.7: a name that is not known is ignored without a word. The table of old names in Celery's own documentation
("New lowercase settings") has `CELERYD_SOFT_TIME_LIMIT` and `CELERYD_TIME_LIMIT`, which nothing reads; the names that its code knows are in
`celery/app/defaults.py`. Under `namespace="CELERY"` the old names are ignored up to 5.6.3 and read from 5.7.0 on.
"""

from __future__ import annotations

OLD_NAMES = {
    "CELERYD_TASK_SOFT_TIME_LIMIT": "task_soft_time_limit",
    "CELERYD_TASK_TIME_LIMIT": "task_time_limit",
    "CELERY_DEFAULT_QUEUE": "task_default_queue",
    "CELERY_QUEUES": "task_queues",
    "CELERY_ROUTES": "task_routes",
    "CELERY_ANNOTATIONS": "task_annotations",
}
"""Names of Celery 3, read without a namespace, and the settings that they are."""
OLD_NAMES_WAKE = "5.7"
"""The version from which on they are read under a namespace, too."""

NEVER_READ = {
    "CELERYD_SOFT_TIME_LIMIT": "task_soft_time_limit",
    "CELERYD_TIME_LIMIT": "task_time_limit",
    "CELERY_SOFT_TIME_LIMIT": "task_soft_time_limit",
    "CELERY_TIME_LIMIT": "task_time_limit",
    "TASK_SOFT_TIME_LIMIT": "task_soft_time_limit",
    "TASK_TIME_LIMIT": "task_time_limit",
    "CELERYD_HARD_TIME_LIMIT": "task_time_limit",
    "CELERY_HARD_TIME_LIMIT": "task_time_limit",
    "CELERY_TASK_HARD_TIME_LIMIT": "task_time_limit",
    "CELERY_TASK_SOFT_TIMELIMIT": "task_soft_time_limit",
    "CELERY_TASK_TIMELIMIT": "task_time_limit",
}
"""Names that are written for limits and that no version reads, with a namespace or without."""

MISSPELT_OPTIONS = {
    "soft_timelimit": "soft_time_limit",
    "softtime_limit": "soft_time_limit",
    "soft_limit": "soft_time_limit",
    "soft_timeout": "soft_time_limit",
    "task_soft_time_limit": "soft_time_limit",
    "hard_time_limit": "time_limit",
    "hard_timelimit": "time_limit",
    "hard_limit": "time_limit",
    "timelimit": "time_limit",
    "timeout": "time_limit",
    "task_time_limit": "time_limit",
}
"""Options of a task decorator that are accepted and do nothing (any option becomes an attribute of the task), and what was meant."""


def spelt(setting: str, namespace: str) -> str:
    """The name under which a settings module sets a setting."""
    return f"{namespace}_{setting.upper()}" if namespace else setting
