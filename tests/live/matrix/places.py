"""Where the time is spent, and which clauses are too narrow for the signal."""

from celery.exceptions import CeleryError, SoftTimeLimitExceeded, TimeLimitExceeded
from celery.exceptions import TimeoutError as ResultTimeout

from matrix.app import app
from matrix.billing import INVOICES, log, post


class Ledger:
    """A ledger that is slow to answer."""

    @property
    def balance(self):
        return post(0)

    def __getattr__(self, name):
        post(0)
        raise AttributeError(name)


@app.task(soft_time_limit=1, time_limit=3)
def works_in_else():
    for invoice in INVOICES:
        try:
            number = int(invoice)
        except Exception:
            log.exception("invoice %s has no number", invoice)
        else:
            post(number)


@app.task(soft_time_limit=1, time_limit=3)
def works_in_finally():
    for invoice in INVOICES:
        number = 0
        try:
            number = int(invoice)
        except Exception:
            log.exception("invoice %s has no number", invoice)
        finally:
            post(number)


@app.task(soft_time_limit=1, time_limit=3)
def works_in_the_handler():
    for invoice in INVOICES:
        try:
            number = {}[invoice]
        except Exception:
            number = post(invoice)
        log.debug("invoice %s", number)


@app.task(soft_time_limit=1, time_limit=3)
def works_between_the_tries():
    for invoice in INVOICES:
        try:
            number = int(invoice)
        except Exception:
            continue
        post(number)


@app.task(soft_time_limit=1, time_limit=3)
def narrow_clauses():
    for invoice in INVOICES:
        try:
            post(invoice)
        except (ValueError, OSError, RuntimeError):
            log.exception("invoice %s is not posted", invoice)


@app.task(soft_time_limit=1, time_limit=3)
def clauses_for_other_timeouts():
    for invoice in INVOICES:
        try:
            post(invoice)
        except (TimeoutError, ResultTimeout, CeleryError):
            log.exception("invoice %s is not posted", invoice)


@app.task(soft_time_limit=1, time_limit=3)
def clause_for_the_hard_limit():
    for invoice in INVOICES:
        try:
            post(invoice)
        except TimeLimitExceeded:
            log.warning("out of time")


@app.task(soft_time_limit=1, time_limit=3)
def hasattr_of_a_slow_property():
    ledger = Ledger()
    for invoice in INVOICES:
        if not hasattr(ledger, "balance"):
            log.info("no balance for %s", invoice)


@app.task(soft_time_limit=1, time_limit=3)
def getattr_with_a_default():
    ledger = Ledger()
    for _ in INVOICES:
        getattr(ledger, "owner", None)


@app.task(soft_time_limit=1, time_limit=3)
def broad_clause_round_a_slow_property():
    ledger = Ledger()
    for invoice in INVOICES:
        try:
            log.debug("%s", ledger.balance)
        except Exception:
            log.exception("no balance for %s", invoice)


@app.task(soft_time_limit=1, time_limit=3)
def clean_up_in_finally():
    done = []
    try:
        for invoice in INVOICES:
            try:
                done.append(post(invoice))
            except SoftTimeLimitExceeded:
                raise
            except Exception:
                log.exception("invoice %s is not posted", invoice)
    finally:
        log.info("%s posted", len(done))
