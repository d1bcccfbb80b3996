"""A task that runs another one in its own process."""

from matrix.app import app
from matrix.billing import INVOICES, log, post

YEARS = range(2020, 2030)


@app.task(soft_time_limit=1, time_limit=3)
def one_year(year=2020):
    for invoice in INVOICES:
        post(year + invoice)


@app.task(soft_time_limit=1, time_limit=3)
def applied_in_a_loop():
    for year in YEARS:
        one_year.apply(args=(year,))


@app.task(soft_time_limit=1, time_limit=3)
def applied_once():
    one_year.apply()


@app.task(soft_time_limit=1, time_limit=3)
def applied_and_told_to_raise():
    for year in YEARS:
        one_year.apply(args=(year,), throw=True)


@app.task(soft_time_limit=1, time_limit=3)
def called():
    for year in YEARS:
        one_year(year)


@app.task(soft_time_limit=1, time_limit=3)
def waits_for_another_task():
    for year in YEARS:
        one_year.delay(year).get(propagate=False, disable_sync_subtasks=False)


@app.task(soft_time_limit=1, time_limit=3)
def waits_for_another_task_in_a_broad_clause():
    for year in YEARS:
        try:
            one_year.delay(year).get(disable_sync_subtasks=False)
        except Exception:
            log.exception("%s is not done", year)
