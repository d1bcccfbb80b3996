"""The queue's own retries."""

from celery import Task
from celery.exceptions import SoftTimeLimitExceeded

from matrix.app import app
from matrix.billing import INVOICES, log, post


class Persistent(Task):
    autoretry_for = (Exception,)
    max_retries = 1
    default_retry_delay = 0


@app.task(soft_time_limit=1, time_limit=3, autoretry_for=(Exception,), max_retries=1, default_retry_delay=0)
def autoretry():
    for invoice in INVOICES:
        post(invoice)


@app.task(soft_time_limit=1, time_limit=3, autoretry_for=(Exception,), retry_kwargs={"max_retries": 1, "countdown": 0})
def autoretry_undoes_the_raise():
    for invoice in INVOICES:
        try:
            post(invoice)
        except SoftTimeLimitExceeded:
            raise
        except Exception:
            log.exception("invoice %s is not posted", invoice)


@app.task(soft_time_limit=1, time_limit=3, autoretry_for=(ValueError, SoftTimeLimitExceeded), max_retries=1, default_retry_delay=0)
def autoretry_names_the_signal():
    for invoice in INVOICES:
        post(invoice)


@app.task(base=Persistent, soft_time_limit=1, time_limit=3)
def autoretry_of_the_base_class():
    for invoice in INVOICES:
        post(invoice)


@app.task(
    soft_time_limit=1,
    time_limit=3,
    autoretry_for=(Exception,),
    dont_autoretry_for=(SoftTimeLimitExceeded,),
    max_retries=1,
    default_retry_delay=0,
)
def autoretry_but_not_for_the_signal():
    for invoice in INVOICES:
        post(invoice)


@app.task(soft_time_limit=1, time_limit=3, autoretry_for=(ValueError, OSError), max_retries=1, default_retry_delay=0)
def autoretry_for_what_is_narrow():
    for invoice in INVOICES:
        post(invoice)


@app.task(soft_time_limit=1, time_limit=3, autoretry_for=(Exception,), max_retries=1, default_retry_delay=0)
def autoretry_and_a_return_in_time():
    posted = 0
    try:
        for invoice in INVOICES:
            posted += post(invoice)
    except SoftTimeLimitExceeded:
        return posted
    return posted


@app.task(bind=True, soft_time_limit=1, time_limit=3, max_retries=1, default_retry_delay=0)
def retry_in_a_broad_clause(self):
    try:
        for invoice in INVOICES:
            post(invoice)
    except Exception as error:
        raise self.retry(exc=error)


@app.task(bind=True, soft_time_limit=1, time_limit=3, max_retries=1)
def retry_in_a_broad_clause_in_the_loop(self):
    for invoice in INVOICES:
        try:
            post(invoice)
        except Exception as error:
            raise self.retry(exc=error, countdown=0)


@app.task(bind=True, soft_time_limit=1, time_limit=3, max_retries=1, default_retry_delay=0)
def retry_taken_by_an_outer_clause(self):
    try:
        try:
            for invoice in INVOICES:
                post(invoice)
        except Exception as error:
            raise self.retry(exc=error)
    except Exception:
        log.exception("not all invoices are posted")


@app.task(bind=True, soft_time_limit=1, time_limit=3, max_retries=1)
def retry_that_does_not_raise(self):
    for invoice in INVOICES:
        try:
            post(invoice)
        except Exception as error:
            self.retry(exc=error, countdown=0, throw=False)


@app.task(bind=True, soft_time_limit=1, time_limit=3, max_retries=1, default_retry_delay=0)
def retry_in_a_narrow_clause(self):
    try:
        for invoice in INVOICES:
            post(invoice)
    except (OSError, ValueError) as error:
        raise self.retry(exc=error)


@app.task(bind=True, soft_time_limit=1, time_limit=3, max_retries=1, default_retry_delay=0)
def retry_after_the_signal_is_let_out(self):
    try:
        for invoice in INVOICES:
            post(invoice)
    except SoftTimeLimitExceeded:
        raise
    except Exception as error:
        raise self.retry(exc=error)
