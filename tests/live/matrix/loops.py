"""A handler and a loop, in every order."""

from celery.exceptions import SoftTimeLimitExceeded

from matrix.app import app
from matrix.billing import INVOICES, PostingError, log, post

FAILURES = (ValueError, Exception)


@app.task(soft_time_limit=1, time_limit=3)
def no_handler():
    for invoice in INVOICES:
        post(invoice)


@app.task(soft_time_limit=1, time_limit=3)
def goes_on_with_continue():
    for invoice in INVOICES:
        try:
            post(invoice)
        except Exception:
            continue


@app.task(soft_time_limit=1, time_limit=3)
def goes_on_after_pass():
    for invoice in INVOICES:
        try:
            post(invoice)
        except Exception:
            pass


@app.task(soft_time_limit=1, time_limit=3)
def goes_on_after_log():
    for invoice in INVOICES:
        try:
            post(invoice)
        except Exception:
            log.exception("invoice %s is not posted", invoice)
    else:
        log.info("all posted")


@app.task(soft_time_limit=1, time_limit=3)
def polls_for_ever():
    invoice = 0
    while True:
        invoice += 1
        try:
            post(invoice)
        except Exception as error:
            log.warning("invoice %s: %s", invoice, error)


@app.task(soft_time_limit=1, time_limit=3)
def bare_except():
    for invoice in INVOICES:
        try:
            post(invoice)
        except:
            log.info("invoice %s is not posted", invoice)


@app.task(soft_time_limit=1, time_limit=3)
def base_exception():
    for invoice in INVOICES:
        try:
            post(invoice)
        except BaseException as error:
            log.info("invoice %s: %r", invoice, error)


@app.task(soft_time_limit=1, time_limit=3)
def raises_the_signal_first():
    for invoice in INVOICES:
        try:
            post(invoice)
        except SoftTimeLimitExceeded:
            raise
        except Exception:
            log.exception("invoice %s is not posted", invoice)


@app.task(soft_time_limit=1, time_limit=3)
def raises_the_signal_second():
    for invoice in INVOICES:
        try:
            post(invoice)
        except Exception:
            log.exception("invoice %s is not posted", invoice)
        except SoftTimeLimitExceeded:
            raise


@app.task(soft_time_limit=1, time_limit=3)
def outer_clause_for_the_signal():
    try:
        for invoice in INVOICES:
            try:
                post(invoice)
            except Exception:
                log.exception("invoice %s is not posted", invoice)
    except SoftTimeLimitExceeded:
        log.warning("out of time")
        raise


@app.task(soft_time_limit=1, time_limit=3)
def inner_raise_below_an_outer_broad_clause():
    for invoice in INVOICES:
        try:
            try:
                post(invoice)
            except SoftTimeLimitExceeded:
                raise
        except Exception:
            log.exception("invoice %s is not posted", invoice)


@app.task(soft_time_limit=1, time_limit=3)
def inner_narrow_clause_below_an_outer_broad_one():
    for invoice in INVOICES:
        try:
            try:
                post(invoice)
            except ValueError:
                log.info("invoice %s is odd", invoice)
        except Exception:
            log.exception("invoice %s is not posted", invoice)


@app.task(soft_time_limit=1, time_limit=3)
def asks_for_the_signal_and_raises():
    for invoice in INVOICES:
        try:
            post(invoice)
        except Exception as error:
            if isinstance(error, SoftTimeLimitExceeded):
                raise
            log.warning("invoice %s: %s", invoice, error)


@app.task(soft_time_limit=1, time_limit=3)
def matches_the_signal_and_raises():
    for invoice in INVOICES:
        try:
            post(invoice)
        except Exception as error:
            match error:
                case SoftTimeLimitExceeded():
                    raise
                case _:
                    continue


@app.task(soft_time_limit=1, time_limit=3)
def logs_and_raises():
    for invoice in INVOICES:
        try:
            post(invoice)
        except Exception:
            log.exception("invoice %s is not posted", invoice)
            raise


@app.task(soft_time_limit=1, time_limit=3)
def raises_only_on_another_error():
    for invoice in INVOICES:
        try:
            post(invoice)
        except Exception as error:
            if isinstance(error, PostingError):
                raise
            log.warning("invoice %s: %s", invoice, error)


@app.task(soft_time_limit=1, time_limit=3)
def named_and_goes_on():
    for invoice in INVOICES:
        try:
            post(invoice)
        except SoftTimeLimitExceeded:
            log.warning("invoice %s took too long", invoice)


@app.task(soft_time_limit=1, time_limit=3)
def named_and_continues():
    for invoice in INVOICES:
        try:
            post(invoice)
        except SoftTimeLimitExceeded:
            continue
        except Exception:
            log.exception("invoice %s is not posted", invoice)


@app.task(soft_time_limit=1, time_limit=3)
def named_and_breaks():
    for invoice in INVOICES:
        try:
            post(invoice)
        except SoftTimeLimitExceeded:
            log.warning("out of time at invoice %s", invoice)
            break
        except Exception:
            log.exception("invoice %s is not posted", invoice)


@app.task(soft_time_limit=1, time_limit=3)
def named_and_returns():
    posted = 0
    try:
        for invoice in INVOICES:
            post(invoice)
            posted += 1
    except SoftTimeLimitExceeded:
        return posted
    return posted


@app.task(soft_time_limit=1, time_limit=3)
def broad_and_breaks():
    for invoice in INVOICES:
        try:
            post(invoice)
        except Exception:
            log.exception("invoice %s is not posted", invoice)
            break


@app.task(soft_time_limit=1, time_limit=3)
def broad_and_returns():
    for invoice in INVOICES:
        try:
            post(invoice)
        except Exception:
            log.exception("invoice %s is not posted", invoice)
            return


@app.task(soft_time_limit=1, time_limit=3)
def broad_round_the_whole_loop():
    try:
        for invoice in INVOICES:
            post(invoice)
    except Exception:
        log.exception("not all invoices are posted")


@app.task(soft_time_limit=1, time_limit=3)
def first_of_two_loops_is_given_up():
    try:
        for invoice in INVOICES:
            post(invoice)
    except Exception:
        log.exception("not all invoices are posted")
    for invoice in INVOICES:
        post(-invoice)


@app.task(soft_time_limit=1, time_limit=3)
def raises_another_error():
    for invoice in INVOICES:
        try:
            post(invoice)
        except Exception as error:
            raise PostingError(invoice) from error


@app.task(soft_time_limit=1, time_limit=3)
def raises_another_error_past_a_clause_for_the_signal():
    try:
        for invoice in INVOICES:
            try:
                post(invoice)
            except Exception as error:
                raise PostingError(invoice) from error
    except SoftTimeLimitExceeded:
        log.warning("out of time")


@app.task(soft_time_limit=1, time_limit=3)
def raises_another_error_that_the_loop_takes():
    for invoice in INVOICES:
        try:
            try:
                post(invoice)
            except Exception as error:
                raise PostingError(invoice) from error
        except PostingError as error:
            log.warning("%s", error)


@app.task(soft_time_limit=1, time_limit=3)
def constant_tuple():
    for invoice in INVOICES:
        try:
            post(invoice)
        except FAILURES:
            log.exception("invoice %s is not posted", invoice)


@app.task(soft_time_limit=1, time_limit=3)
def local_tuple():
    failures = (ValueError, Exception)
    for invoice in INVOICES:
        try:
            post(invoice)
        except failures:
            log.exception("invoice %s is not posted", invoice)


@app.task(soft_time_limit=1, time_limit=3)
def constant_tuple_and_the_signal_first():
    for invoice in INVOICES:
        try:
            post(invoice)
        except SoftTimeLimitExceeded:
            raise
        except FAILURES:
            log.exception("invoice %s is not posted", invoice)


@app.task(soft_time_limit=1, time_limit=3)
def tries_thrice():
    for invoice in INVOICES:
        for _ in range(3):
            try:
                post(invoice)
                break
            except Exception as error:
                log.warning("invoice %s: %s", invoice, error)


@app.task(soft_time_limit=1, time_limit=3)
def tries_all_thrice():
    for attempt in range(3):
        try:
            for invoice in INVOICES:
                post(invoice)
            return
        except Exception:
            log.exception("attempt %s failed", attempt)


@app.task(soft_time_limit=1, time_limit=3)
def tries_thrice_and_lets_the_signal_out():
    for invoice in INVOICES:
        for _ in range(3):
            try:
                post(invoice)
                break
            except SoftTimeLimitExceeded:
                raise
            except Exception as error:
                log.warning("invoice %s: %s", invoice, error)
