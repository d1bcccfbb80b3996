"""Context managers that take the signal, and such that let it out."""

import unittest
from contextlib import ExitStack, contextmanager, suppress

from matrix.app import app
from matrix.billing import INVOICES, log, post


@contextmanager
def logged(invoice):
    try:
        yield
    except Exception:
        log.exception("invoice %s is not posted", invoice)


@contextmanager
def logged_once():
    try:
        yield
    except Exception:
        log.exception("not all invoices are posted")


@contextmanager
def logged_and_raised(invoice):
    try:
        yield
    except Exception:
        log.exception("invoice %s is not posted", invoice)
        raise


@contextmanager
def counted(counts):
    try:
        yield
    finally:
        counts.append(1)


@contextmanager
def returning(counts):
    try:
        yield
    finally:
        counts.append(1)
        return  # noqa: B012


@contextmanager
def forgiving(*errors):
    try:
        yield
    except errors as error:
        log.warning("%s", error)


@contextmanager
def logged_step():
    try:
        yield
    except Exception:
        log.exception("a step failed")


@logged_step()
def post_as_a_step(invoice):
    post(invoice)


class Forgiving:
    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        if error is not None:
            log.warning("%s", error)
        return True


class Watching:
    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        if error is not None:
            log.warning("%s", error)


class Particular:
    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        return kind is not None and issubclass(kind, ValueError)


def always(kind, error, trace):
    return True


@app.task(soft_time_limit=1, time_limit=3)
def suppress_in_the_loop():
    for invoice in INVOICES:
        with suppress(Exception):
            post(invoice)


@app.task(soft_time_limit=1, time_limit=3)
def suppress_round_the_loop():
    with suppress(Exception):
        for invoice in INVOICES:
            post(invoice)


@app.task(soft_time_limit=1, time_limit=3)
def suppress_what_is_narrow():
    for invoice in INVOICES:
        with suppress(KeyError, ValueError):
            post(invoice)


@app.task(soft_time_limit=1, time_limit=3)
def exit_stack_told_to_go_on():
    for invoice in INVOICES:
        with ExitStack() as stack:
            stack.push(always)
            post(invoice)


@app.task(soft_time_limit=1, time_limit=3)
def exit_stack_that_only_cleans_up():
    for invoice in INVOICES:
        with ExitStack() as stack:
            stack.callback(log.debug, "invoice %s", invoice)
            post(invoice)


@app.task(soft_time_limit=1, time_limit=3)
def exit_stack_entering_suppress():
    for invoice in INVOICES:
        with ExitStack() as stack:
            stack.enter_context(suppress(Exception))
            post(invoice)


@app.task(soft_time_limit=1, time_limit=3)
def exit_returns_true():
    for invoice in INVOICES:
        with Forgiving():
            post(invoice)


@app.task(soft_time_limit=1, time_limit=3)
def exit_returns_nothing():
    for invoice in INVOICES:
        with Watching():
            post(invoice)


@app.task(soft_time_limit=1, time_limit=3)
def exit_is_particular():
    for invoice in INVOICES:
        with Particular():
            post(invoice)


@app.task(soft_time_limit=1, time_limit=3)
def generator_takes_it():
    for invoice in INVOICES:
        with logged(invoice):
            post(invoice)


@app.task(soft_time_limit=1, time_limit=3)
def generator_takes_it_round_the_loop():
    with logged_once():
        for invoice in INVOICES:
            post(invoice)


@app.task(soft_time_limit=1, time_limit=3)
def generator_raises_it():
    for invoice in INVOICES:
        with logged_and_raised(invoice):
            post(invoice)


@app.task(soft_time_limit=1, time_limit=3)
def generator_only_cleans_up():
    counts = []
    for invoice in INVOICES:
        with counted(counts):
            post(invoice)


@app.task(soft_time_limit=1, time_limit=3)
def generator_returns_in_finally():
    counts = []
    for invoice in INVOICES:
        with returning(counts):
            post(invoice)


@app.task(soft_time_limit=1, time_limit=3)
def generator_takes_what_it_is_given():
    for invoice in INVOICES:
        with forgiving(Exception):
            post(invoice)


@app.task(soft_time_limit=1, time_limit=3)
def generator_is_given_what_is_narrow():
    for invoice in INVOICES:
        with forgiving(ValueError, KeyError):
            post(invoice)


class Books(unittest.TestCase):
    def test_all(self):
        for invoice in INVOICES:
            with self.subTest(invoice=invoice):
                post(invoice)


@app.task(soft_time_limit=1, time_limit=3)
def sub_test():
    result = unittest.TestResult()
    Books("test_all").run(result)
    return len(result.errors)


@app.task(soft_time_limit=1, time_limit=3)
def context_manager_as_a_decorator():
    for invoice in INVOICES:
        post_as_a_step(invoice)
