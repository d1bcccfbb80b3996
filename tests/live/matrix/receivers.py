"""Receivers of Celery's signals, which are not code of the task: Celery logs what they raise."""

from celery.signals import task_postrun, task_prerun
from celery.utils.dispatch import Signal

from matrix.app import app
from matrix.billing import INVOICES, post

exported = Signal(name="exported", providing_args=["invoice"])


@exported.connect
def book(invoice=0, **_):
    post(invoice)


@app.task(soft_time_limit=1, time_limit=3)
def slow_receiver_of_an_own_signal_in_a_loop():
    for invoice in INVOICES:
        exported.send(sender=None, invoice=invoice)


@app.task(soft_time_limit=1, time_limit=3)
def slow_receiver_before_the_task():
    for invoice in INVOICES:
        post(invoice)


@app.task(soft_time_limit=1, time_limit=3)
def slow_receiver_after_the_task():
    post(1)


@task_prerun.connect(sender=slow_receiver_before_the_task)
def warm_up(**_):
    for invoice in INVOICES:
        post(invoice)


@task_postrun.connect(sender=slow_receiver_after_the_task)
def tidy_up(**_):
    for invoice in INVOICES:
        post(invoice)
