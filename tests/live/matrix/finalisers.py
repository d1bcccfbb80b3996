"""What a `finally` drops."""

from matrix.app import app
from matrix.billing import INVOICES, log, post


def post_and_return(invoice):
    try:
        post(invoice)
    finally:
        return invoice  # noqa: B012


@app.task(soft_time_limit=1, time_limit=3)
def continue_in_finally():
    for invoice in INVOICES:
        try:
            post(invoice)
        finally:
            continue  # noqa: B012


@app.task(soft_time_limit=1, time_limit=3)
def return_in_the_finally_of_a_helper():
    for invoice in INVOICES:
        post_and_return(invoice)


@app.task(soft_time_limit=1, time_limit=3)
def return_in_the_finally_of_the_task():
    try:
        for invoice in INVOICES:
            post(invoice)
    finally:
        return 1  # noqa: B012


@app.task(soft_time_limit=1, time_limit=3)
def break_in_finally():
    posted = 0
    for invoice in INVOICES:
        done = False
        try:
            post(invoice)
            done = True
        finally:
            if not done:
                break  # noqa: B012
        posted += 1
    return posted


@app.task(soft_time_limit=1, time_limit=3)
def plain_finally():
    for invoice in INVOICES:
        try:
            post(invoice)
        finally:
            log.debug("invoice %s", invoice)


@app.task(soft_time_limit=1, time_limit=3)
def loop_inside_finally():
    for invoice in INVOICES:
        try:
            post(invoice)
        finally:
            for name in ("ledger", "archive"):
                if name == "ledger":
                    continue
                log.debug("invoice %s, %s", invoice, name)
