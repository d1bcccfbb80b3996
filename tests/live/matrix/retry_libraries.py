"""Libraries that try again."""

import backoff
import retry as retry_package
import retrying
import stamina
import tenacity
from celery.exceptions import SoftTimeLimitExceeded
from retry.api import retry_call

from matrix.app import app
from matrix.billing import INVOICES, post


def is_deadline(error):
    return isinstance(error, SoftTimeLimitExceeded)


def is_value_error(error):
    return isinstance(error, ValueError)


def is_missing(result):
    return result is None


def give_nothing(state):
    return None


@tenacity.retry
def tenacity_default(invoice):
    return post(invoice)


@tenacity.retry(stop=tenacity.stop_after_attempt(3))
def tenacity_thrice(invoice):
    return post(invoice)


@tenacity.retry(stop=tenacity.stop_after_attempt(3), reraise=True)
def tenacity_thrice_reraised(invoice):
    return post(invoice)


@tenacity.retry(stop=tenacity.stop_after_attempt(1), retry_error_callback=give_nothing)
def tenacity_callback(invoice):
    return post(invoice)


@tenacity.retry(stop=tenacity.stop_after_attempt(3), retry=tenacity.retry_if_exception_type(ValueError))
def tenacity_narrow(invoice):
    return post(invoice)


@tenacity.retry(stop=tenacity.stop_after_attempt(3), retry=tenacity.retry_if_not_exception_type(SoftTimeLimitExceeded))
def tenacity_not_for_the_signal(invoice):
    return post(invoice)


@tenacity.retry(stop=tenacity.stop_after_attempt(3), retry=tenacity.retry_if_result(is_missing))
def tenacity_if_result(invoice):
    return post(invoice)


@tenacity.retry(wait=tenacity.wait_fixed(0.4), retry=tenacity.retry_if_exception_type(ValueError))
def tenacity_that_waits(invoice):
    raise ValueError(invoice)


@tenacity.retry(stop=tenacity.stop_after_attempt(1))
def tenacity_once(invoice):
    return post(invoice)


@tenacity.retry(stop=tenacity.stop_after_attempt(3), retry=tenacity.retry_if_exception(is_value_error))
def tenacity_by_a_predicate(invoice):
    return post(invoice)


@tenacity.retry(
    stop=tenacity.stop_after_attempt(3),
    retry=tenacity.retry_if_exception_type(ValueError) | tenacity.retry_if_exception_type(OSError),
)
def tenacity_for_either(invoice):
    return post(invoice)


@tenacity.retry(stop=tenacity.stop_after_attempt(3), retry=tenacity.retry_if_not_exception_type(ValueError))
def tenacity_for_all_but_one(invoice):
    return post(invoice)


@tenacity.retry(stop=tenacity.stop_after_attempt(3), retry=tenacity.retry_if_not_exception_type((SoftTimeLimitExceeded, KeyError)))
def tenacity_for_all_but_two(invoice):
    return post(invoice)


@backoff.on_exception(backoff.expo, (OSError, Exception), max_tries=3, max_value=0.1)
def backoff_tuple(invoice):
    return post(invoice)


@backoff.on_predicate(backoff.constant, is_missing, interval=0, jitter=None, max_tries=3)
def backoff_predicate(invoice):
    return post(invoice)


@retrying.retry(stop_max_attempt_number=3, retry_on_exception=is_value_error)
def retrying_narrow(invoice):
    return post(invoice)


@backoff.on_exception(backoff.constant, Exception, interval=0, jitter=None, max_tries=3)
def backoff_broad(invoice):
    return post(invoice)


@backoff.on_exception(backoff.constant, Exception, interval=0, jitter=None, max_tries=1, raise_on_giveup=False)
def backoff_not_raised(invoice):
    return post(invoice)


@backoff.on_exception(backoff.constant, Exception, interval=0, jitter=None, max_tries=3, giveup=is_deadline)
def backoff_gives_up(invoice):
    return post(invoice)


@backoff.on_exception(backoff.constant, ValueError, interval=0, jitter=None, max_tries=3)
def backoff_narrow(invoice):
    return post(invoice)


@stamina.retry(on=Exception, attempts=3, wait_initial=0, wait_jitter=0)
def stamina_broad(invoice):
    return post(invoice)


@stamina.retry(on=ValueError, attempts=3)
def stamina_narrow(invoice):
    return post(invoice)


@retrying.retry
def retrying_default(invoice):
    return post(invoice)


@retrying.retry(stop_max_attempt_number=3, retry_on_exception=is_deadline)
def retrying_for_the_signal(invoice):
    return post(invoice)


@retry_package.retry()
def retry_default(invoice):
    return post(invoice)


@retry_package.retry(ValueError, tries=3)
def retry_narrow(invoice):
    return post(invoice)


@app.task(soft_time_limit=1, time_limit=3)
def with_tenacity():
    for invoice in INVOICES:
        tenacity_default(invoice)


@app.task(soft_time_limit=1, time_limit=3)
def with_tenacity_thrice():
    for invoice in INVOICES:
        tenacity_thrice(invoice)


@app.task(soft_time_limit=1, time_limit=3)
def with_tenacity_thrice_reraised():
    for invoice in INVOICES:
        tenacity_thrice_reraised(invoice)


@app.task(soft_time_limit=1, time_limit=3)
def with_tenacity_and_a_callback():
    for invoice in INVOICES:
        tenacity_callback(invoice)


@app.task(soft_time_limit=1, time_limit=3)
def with_tenacity_for_what_is_narrow():
    for invoice in INVOICES:
        tenacity_narrow(invoice)


@app.task(soft_time_limit=1, time_limit=3)
def with_tenacity_but_not_for_the_signal():
    for invoice in INVOICES:
        tenacity_not_for_the_signal(invoice)


@app.task(soft_time_limit=1, time_limit=3)
def with_tenacity_for_a_result():
    for invoice in INVOICES:
        tenacity_if_result(invoice)


@app.task(soft_time_limit=1, time_limit=3)
def with_tenacity_while_it_waits():
    tenacity_that_waits(1)


@app.task(soft_time_limit=1, time_limit=3)
def with_tenacity_once():
    for invoice in INVOICES:
        tenacity_once(invoice)


@app.task(soft_time_limit=1, time_limit=3)
def with_tenacity_attempts():
    for invoice in INVOICES:
        for attempt in tenacity.Retrying(stop=tenacity.stop_after_attempt(3)):
            with attempt:
                post(invoice)


@app.task(soft_time_limit=1, time_limit=3)
def with_tenacity_attempts_for_what_is_narrow():
    for invoice in INVOICES:
        for attempt in tenacity.Retrying(stop=tenacity.stop_after_attempt(3), retry=tenacity.retry_if_exception_type(ValueError)):
            with attempt:
                post(invoice)


@app.task(soft_time_limit=1, time_limit=3)
def with_tenacity_called():
    retryer = tenacity.Retrying(stop=tenacity.stop_after_attempt(3))
    for invoice in INVOICES:
        retryer(post, invoice)


@app.task(soft_time_limit=1, time_limit=3)
@tenacity.retry
def with_tenacity_round_the_task():
    for invoice in INVOICES:
        post(invoice)


@app.task(soft_time_limit=1, time_limit=3)
def with_backoff():
    for invoice in INVOICES:
        backoff_broad(invoice)


@app.task(soft_time_limit=1, time_limit=3)
def with_backoff_not_raised():
    for invoice in INVOICES:
        backoff_not_raised(invoice)


@app.task(soft_time_limit=1, time_limit=3)
def with_backoff_that_gives_up():
    for invoice in INVOICES:
        backoff_gives_up(invoice)


@app.task(soft_time_limit=1, time_limit=3)
def with_backoff_for_what_is_narrow():
    for invoice in INVOICES:
        backoff_narrow(invoice)


@app.task(soft_time_limit=1, time_limit=3)
def with_stamina():
    for invoice in INVOICES:
        stamina_broad(invoice)


@app.task(soft_time_limit=1, time_limit=3)
def with_stamina_for_what_is_narrow():
    for invoice in INVOICES:
        stamina_narrow(invoice)


@app.task(soft_time_limit=1, time_limit=3)
def with_stamina_contexts():
    for invoice in INVOICES:
        for attempt in stamina.retry_context(on=Exception, attempts=3, wait_initial=0, wait_jitter=0):
            with attempt:
                post(invoice)


@app.task(soft_time_limit=1, time_limit=3)
def with_retrying():
    for invoice in INVOICES:
        retrying_default(invoice)


@app.task(soft_time_limit=1, time_limit=3)
def with_retrying_for_the_signal():
    for invoice in INVOICES:
        retrying_for_the_signal(invoice)


@app.task(soft_time_limit=1, time_limit=3)
def with_retry():
    for invoice in INVOICES:
        retry_default(invoice)


@app.task(soft_time_limit=1, time_limit=3)
def with_retry_for_what_is_narrow():
    for invoice in INVOICES:
        retry_narrow(invoice)


@app.task(soft_time_limit=1, time_limit=3)
def with_tenacity_by_a_predicate():
    for invoice in INVOICES:
        tenacity_by_a_predicate(invoice)


@app.task(soft_time_limit=1, time_limit=3)
def with_tenacity_for_either():
    for invoice in INVOICES:
        tenacity_for_either(invoice)


@app.task(soft_time_limit=1, time_limit=3)
def with_tenacity_for_all_but_one():
    for invoice in INVOICES:
        tenacity_for_all_but_one(invoice)


@app.task(soft_time_limit=1, time_limit=3)
def with_tenacity_for_all_but_two():
    for invoice in INVOICES:
        tenacity_for_all_but_two(invoice)


@app.task(soft_time_limit=1, time_limit=3)
def with_backoff_for_a_tuple():
    for invoice in INVOICES:
        backoff_tuple(invoice)


@app.task(soft_time_limit=1, time_limit=3)
def with_backoff_on_a_predicate():
    for invoice in INVOICES:
        backoff_predicate(invoice)


@app.task(soft_time_limit=1, time_limit=3)
def with_retrying_for_what_is_narrow():
    for invoice in INVOICES:
        retrying_narrow(invoice)


@app.task(soft_time_limit=1, time_limit=3)
def with_tenacity_where_it_is_called():
    post_again = tenacity.retry(stop=tenacity.stop_after_attempt(3))(post)
    for invoice in INVOICES:
        post_again(invoice)


@app.task(soft_time_limit=1, time_limit=3)
def with_retry_call():
    for invoice in INVOICES:
        retry_call(post, fargs=[invoice], tries=3)


@app.task(soft_time_limit=1, time_limit=3)
def with_retry_call_for_what_is_narrow():
    for invoice in INVOICES:
        retry_call(post, fargs=[invoice], exceptions=ValueError, tries=3)
