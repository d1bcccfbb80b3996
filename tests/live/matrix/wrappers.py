"""What stands round a whole task: decorators on both sides of the task's own, and base classes."""

from functools import wraps

from celery import Task

from matrix.app import app
from matrix.billing import INVOICES, log, post


def quiet(work):
    @wraps(work)
    def wrapper(*arguments, **named):
        try:
            return work(*arguments, **named)
        except Exception:
            log.exception("%s failed", work)

    return wrapper


def quiet_outside(work):
    @wraps(work)
    def wrapper(*arguments, **named):
        try:
            return work(*arguments, **named)
        except Exception:
            log.exception("%s failed", work)

    return wrapper


def persistent(work):
    @wraps(work)
    def wrapper(*arguments, **named):
        for attempt in range(5):
            try:
                return work(*arguments, **named)
            except Exception:
                log.exception("attempt %s of %s failed", attempt, work)

    return wrapper


class Quiet(Task):
    def __call__(self, *arguments, **named):
        try:
            return super().__call__(*arguments, **named)
        except Exception:
            log.exception("%s failed", self.name)


class Loud(Task):
    def __call__(self, *arguments, **named):
        try:
            return super().__call__(*arguments, **named)
        except Exception:
            log.exception("%s failed", self.name)
            raise


class Sweep(Task):
    """Runs `step` for each invoice; a subclass says what a step is."""

    soft_time_limit = 1
    time_limit = 3

    def run(self):
        for invoice in INVOICES:
            try:
                self.step(invoice)
            except Exception:
                log.exception("invoice %s is not posted", invoice)

    def step(self, invoice):
        raise NotImplementedError


class SweepOfTheLedger(Sweep):
    name = "matrix.wrappers.SweepOfTheLedger"

    def step(self, invoice):
        post(invoice)


app.register_task(SweepOfTheLedger())


@app.task(soft_time_limit=1, time_limit=3)
@quiet
def decorated_below_the_task():
    for invoice in INVOICES:
        post(invoice)


@app.task(soft_time_limit=1, time_limit=3)
@persistent
def retried_below_the_task():
    for invoice in INVOICES:
        post(invoice)


@quiet_outside
@app.task(soft_time_limit=1, time_limit=3)
def decorated_above_the_task():
    for invoice in INVOICES:
        post(invoice)


@app.task(base=Quiet, soft_time_limit=1, time_limit=3)
def base_class_takes_it():
    for invoice in INVOICES:
        post(invoice)


@app.task(base=Loud, soft_time_limit=1, time_limit=3)
def base_class_raises_it():
    for invoice in INVOICES:
        post(invoice)
