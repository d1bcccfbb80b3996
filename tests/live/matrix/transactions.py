"""Django: a transaction is no guard, and what is robust takes the signal."""

import time

from celery.exceptions import SoftTimeLimitExceeded
from django.db import transaction
from django.dispatch import Signal

from matrix.app import app
from matrix.billing import INVOICES, log, post

posted = Signal()
closed = Signal()


def book(sender, invoice, **_):
    post(invoice)


def close_books(sender, **_):
    for invoice in INVOICES:
        post(invoice)


def archive():
    time.sleep(10)


posted.connect(book)
closed.connect(close_books)


@app.task(soft_time_limit=1, time_limit=3)
def transaction_in_a_broad_clause():
    for invoice in INVOICES:
        try:
            with transaction.atomic():
                post(invoice)
        except Exception:
            log.exception("invoice %s is not posted", invoice)


@app.task(soft_time_limit=1, time_limit=3)
def transaction_and_the_signal_first():
    for invoice in INVOICES:
        try:
            with transaction.atomic():
                post(invoice)
        except SoftTimeLimitExceeded:
            raise
        except Exception:
            log.exception("invoice %s is not posted", invoice)


@app.task(soft_time_limit=1, time_limit=3)
def robust_receivers_in_a_loop():
    for invoice in INVOICES:
        posted.send_robust(sender=None, invoice=invoice)


@app.task(soft_time_limit=1, time_limit=3)
def robust_receivers_once():
    closed.send_robust(sender=None)


@app.task(soft_time_limit=1, time_limit=3)
def plain_receivers():
    for invoice in INVOICES:
        posted.send(sender=None, invoice=invoice)


@app.task(soft_time_limit=1, time_limit=3)
def robust_callback_on_commit():
    with transaction.atomic():
        transaction.on_commit(archive, robust=True)


@app.task(soft_time_limit=1, time_limit=3)
def plain_callback_on_commit():
    with transaction.atomic():
        transaction.on_commit(archive)
