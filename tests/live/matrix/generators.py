"""Generators: the work of the consumer is not done inside them."""

from matrix.app import app
from matrix.billing import INVOICES, log, post


def handed_out():
    for invoice in INVOICES:
        try:
            yield invoice
        except Exception:
            log.exception("invoice %s is not posted", invoice)


def posted():
    for invoice in INVOICES:
        try:
            post(invoice)
            yield invoice
        except Exception:
            log.exception("invoice %s is not posted", invoice)


def summed():
    for invoice in INVOICES:
        try:
            yield post(invoice)
        except Exception:
            log.exception("invoice %s is not posted", invoice)


def plain():
    for invoice in INVOICES:
        yield post(invoice)


@app.task(soft_time_limit=1, time_limit=3)
def consumer_works():
    for invoice in handed_out():
        post(invoice)


@app.task(soft_time_limit=1, time_limit=3)
def generator_works():
    for invoice in posted():
        log.debug("invoice %s", invoice)


@app.task(soft_time_limit=1, time_limit=3)
def generator_works_for_sum():
    return sum(summed())


@app.task(soft_time_limit=1, time_limit=3)
def next_in_a_try():
    rows = plain()
    while True:
        try:
            next(rows)
        except StopIteration:
            break
        except Exception:
            log.exception("an invoice is not posted")


@app.task(soft_time_limit=1, time_limit=3)
def generator_without_a_handler():
    for invoice in plain():
        try:
            log.debug("invoice %s", invoice)
        except Exception:
            log.exception("invoice %s", invoice)
