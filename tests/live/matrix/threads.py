"""Threads: the signal comes to the main thread alone, wherever that waits."""

import threading
from concurrent.futures import ThreadPoolExecutor, as_completed

from matrix.app import app
from matrix.billing import INVOICES, log, post


def post_in_a_thread(invoice):
    try:
        return post(invoice)
    except Exception:
        log.exception("invoice %s is not posted", invoice)
        return None


def post_all_in_a_thread():
    for invoice in INVOICES:
        try:
            post(invoice)
        except Exception:
            log.exception("invoice %s is not posted", invoice)


@app.task(soft_time_limit=1, time_limit=3)
def waits_for_each_result_in_a_try():
    pool = ThreadPoolExecutor(1)
    futures = [pool.submit(post, invoice) for invoice in INVOICES]
    for future in futures:
        try:
            future.result()
        except Exception:
            log.exception("an invoice is not posted")
    pool.shutdown(wait=False, cancel_futures=True)


@app.task(soft_time_limit=1, time_limit=3)
def waits_in_as_completed():
    pool = ThreadPoolExecutor(1)
    futures = [pool.submit(post, invoice) for invoice in INVOICES]
    try:
        for future in as_completed(futures):
            try:
                future.result()
            except Exception:
                log.exception("an invoice is not posted")
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


@app.task(soft_time_limit=1, time_limit=3)
def handles_errors_in_the_thread():
    pool = ThreadPoolExecutor(1)
    futures = [pool.submit(post_in_a_thread, invoice) for invoice in INVOICES]
    try:
        for future in futures:
            future.result()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


@app.task(soft_time_limit=1, time_limit=3)
def leaves_a_pool_that_waits():
    with ThreadPoolExecutor(1) as pool:
        for future in [pool.submit(post, invoice) for invoice in INVOICES]:
            future.result()


@app.task(soft_time_limit=1, time_limit=3)
def waits_for_a_thread():
    thread = threading.Thread(target=post_all_in_a_thread, daemon=True)
    thread.start()
    thread.join()
