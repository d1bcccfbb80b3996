"""The clause is in a function, and the loop is in its caller."""

from functools import partial, wraps

from celery.exceptions import SoftTimeLimitExceeded

from matrix.app import app
from matrix.billing import INVOICES, log, post


def post_in_loop(invoice):
    try:
        return post(invoice)
    except Exception:
        return None


def post_in_list(invoice):
    try:
        return post(invoice)
    except Exception:
        return None


def post_in_map(invoice):
    try:
        return post(invoice)
    except Exception:
        return None


def post_in_any(invoice):
    try:
        return post(invoice) < 0
    except Exception:
        return False


def post_once(invoice):
    try:
        for _ in INVOICES:
            post(invoice)
    except Exception:
        return None
    return invoice


def post_in_time(invoice):
    try:
        return post(invoice)
    except SoftTimeLimitExceeded:
        raise
    except Exception:
        return None


def post_chunk(invoices):
    done = []
    try:
        for invoice in invoices:
            done.append(post(invoice))
    except SoftTimeLimitExceeded:
        log.warning("out of time after %s", len(done))
    return done


def attempt(work, *arguments):
    try:
        return work(*arguments)
    except Exception:
        log.exception("%s failed", work)
        return None


def attempt_partial(work):
    try:
        return work()
    except Exception:
        log.exception("%s failed", work)
        return None


def quiet(work):
    @wraps(work)
    def wrapper(*arguments):
        try:
            return work(*arguments)
        except Exception:
            log.exception("%s failed", work)

    return wrapper


def loud(work):
    @wraps(work)
    def wrapper(*arguments):
        try:
            return work(*arguments)
        except Exception:
            log.exception("%s failed", work)
            raise

    return wrapper


@quiet
def post_quietly(invoice):
    post(invoice)


@loud
def post_loudly(invoice):
    post(invoice)


class Sweep:
    def run(self):
        for invoice in INVOICES:
            self.step(invoice)

    def step(self, invoice):
        try:
            post(invoice)
        except Exception:
            log.exception("invoice %s is not posted", invoice)


def to_ledger(invoice):
    try:
        post(invoice)
    except Exception:
        log.exception("invoice %s is not posted", invoice)


def to_archive(invoice):
    post(invoice)


TARGETS = {"ledger": to_ledger, "archive": to_archive}


@app.task(soft_time_limit=1, time_limit=3)
def helper_in_a_loop():
    for invoice in INVOICES:
        post_in_loop(invoice)


@app.task(soft_time_limit=1, time_limit=3)
def helper_in_a_comprehension():
    return [post_in_list(invoice) for invoice in INVOICES]


@app.task(soft_time_limit=1, time_limit=3)
def helper_in_map():
    return list(map(post_in_map, INVOICES))


@app.task(soft_time_limit=1, time_limit=3)
def helper_in_any():
    return any(post_in_any(invoice) for invoice in INVOICES)


@app.task(soft_time_limit=1, time_limit=3)
def helper_that_ends_the_task():
    return post_once(1)


@app.task(soft_time_limit=1, time_limit=3)
def helper_that_lets_the_signal_out():
    for invoice in INVOICES:
        post_in_time(invoice)


@app.task(soft_time_limit=1, time_limit=3)
def helper_names_the_signal_and_the_next_chunk_starts():
    for start in range(0, 100, 50):
        post_chunk(range(start, start + 50))


@app.task(soft_time_limit=1, time_limit=3)
def work_is_passed():
    for invoice in INVOICES:
        attempt(post, invoice)


@app.task(soft_time_limit=1, time_limit=3)
def work_is_passed_as_a_partial():
    for invoice in INVOICES:
        attempt_partial(partial(post, invoice))


@app.task(soft_time_limit=1, time_limit=3)
def decorator_takes_it():
    for invoice in INVOICES:
        post_quietly(invoice)


@app.task(soft_time_limit=1, time_limit=3)
def decorator_raises_it():
    for invoice in INVOICES:
        post_loudly(invoice)


@app.task(soft_time_limit=1, time_limit=3)
def method_takes_it():
    Sweep().run()


@app.task(soft_time_limit=1, time_limit=3)
def function_from_a_table(target="ledger"):
    send = TARGETS[target]
    for invoice in INVOICES:
        send(invoice)
