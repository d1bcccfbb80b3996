"""Every name under which the signal and its bases are known."""

import builtins

import billiard.exceptions
import celery.exceptions
from billiard.exceptions import SoftTimeLimitExceeded as PoolTimeLimit
from celery import exceptions
from celery.exceptions import SoftTimeLimitExceeded
from celery.exceptions import SoftTimeLimitExceeded as Deadline

from matrix.app import app
from matrix.billing import INVOICES, log, post

AnyError = Exception
STOPS = (Deadline, KeyboardInterrupt)


class OutOfTime(SoftTimeLimitExceeded):
    """Narrower than what the worker raises."""


@app.task(soft_time_limit=1, time_limit=3)
def signal_by_another_name():
    for invoice in INVOICES:
        try:
            post(invoice)
        except Deadline:
            raise
        except Exception:
            log.exception("invoice %s is not posted", invoice)


@app.task(soft_time_limit=1, time_limit=3)
def signal_of_the_pool():
    for invoice in INVOICES:
        try:
            post(invoice)
        except PoolTimeLimit:
            raise
        except Exception:
            log.exception("invoice %s is not posted", invoice)


@app.task(soft_time_limit=1, time_limit=3)
def signal_by_its_module():
    for invoice in INVOICES:
        try:
            post(invoice)
        except exceptions.SoftTimeLimitExceeded:
            raise
        except Exception:
            log.exception("invoice %s is not posted", invoice)


@app.task(soft_time_limit=1, time_limit=3)
def signal_by_its_full_path():
    for invoice in INVOICES:
        try:
            post(invoice)
        except (celery.exceptions.SoftTimeLimitExceeded, billiard.exceptions.WorkerLostError):
            raise
        except Exception:
            log.exception("invoice %s is not posted", invoice)


@app.task(soft_time_limit=1, time_limit=3)
def signal_in_a_constant_tuple():
    for invoice in INVOICES:
        try:
            post(invoice)
        except STOPS:
            raise
        except Exception:
            log.exception("invoice %s is not posted", invoice)


@app.task(soft_time_limit=1, time_limit=3)
def own_subclass_of_the_signal():
    for invoice in INVOICES:
        try:
            post(invoice)
        except OutOfTime:
            raise
        except Exception:
            log.exception("invoice %s is not posted", invoice)


@app.task(soft_time_limit=1, time_limit=3)
def own_subclass_alone():
    for invoice in INVOICES:
        try:
            post(invoice)
        except OutOfTime:
            log.exception("invoice %s is not posted", invoice)


@app.task(soft_time_limit=1, time_limit=3)
def base_by_another_name():
    for invoice in INVOICES:
        try:
            post(invoice)
        except AnyError:
            log.exception("invoice %s is not posted", invoice)


@app.task(soft_time_limit=1, time_limit=3)
def base_of_the_builtins():
    for invoice in INVOICES:
        try:
            post(invoice)
        except builtins.Exception:
            log.exception("invoice %s is not posted", invoice)
