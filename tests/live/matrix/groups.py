"""`except*` and groups of exceptions, from Python 3.11."""

from matrix.app import app
from matrix.billing import INVOICES, log, post


@app.task(soft_time_limit=1, time_limit=3)
def star_takes_it():
    for invoice in INVOICES:
        try:
            post(invoice)
        except* Exception:
            log.exception("invoice %s is not posted", invoice)


@app.task(soft_time_limit=1, time_limit=3)
def star_raises_it():
    for invoice in INVOICES:
        try:
            post(invoice)
        except* Exception:
            log.exception("invoice %s is not posted", invoice)
            raise


@app.task(soft_time_limit=1, time_limit=3)
def star_is_narrow():
    for invoice in INVOICES:
        try:
            post(invoice)
        except* ValueError:
            log.exception("invoice %s is not posted", invoice)


@app.task(soft_time_limit=1, time_limit=3)
def errors_are_raised_at_the_end():
    errors = []
    for invoice in INVOICES:
        try:
            post(invoice)
        except Exception as error:
            errors.append(error)
    if errors:
        raise ExceptionGroup("invoices that are not posted", errors)
