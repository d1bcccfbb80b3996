"""Coroutines: where they wait, the signal is raised in the event loop and reaches them as a cancellation."""

import asyncio
import time

from asgiref.sync import async_to_sync, sync_to_async

from matrix.app import app
from matrix.billing import INVOICES, log, post


async def send(invoice):
    await asyncio.sleep(0.1)
    return invoice


async def awaits_in_a_broad_clause():
    for invoice in INVOICES:
        try:
            await send(invoice)
        except Exception:
            log.exception("invoice %s is not sent", invoice)


async def awaits_in_a_bare_clause():
    for invoice in INVOICES:
        try:
            await send(invoice)
        except:
            log.info("invoice %s is not sent", invoice)


async def awaits_in_a_clause_for_all():
    for invoice in INVOICES:
        try:
            await send(invoice)
        except BaseException as error:
            log.info("invoice %s: %r", invoice, error)


async def blocks_in_a_broad_clause():
    for invoice in INVOICES:
        try:
            post(invoice)
        except Exception:
            log.exception("invoice %s is not posted", invoice)


async def sleeps_in_a_broad_clause():
    for invoice in INVOICES:
        try:
            time.sleep(0.1)
        except Exception:
            log.exception("invoice %s is not posted", invoice)


async def awaits_the_main_thread():
    for invoice in INVOICES:
        try:
            await sync_to_async(post)(invoice)
        except Exception:
            log.exception("invoice %s is not posted", invoice)


async def awaits_without_a_handler():
    for invoice in INVOICES:
        await send(invoice)


async def gathers_awaits():
    return await asyncio.gather(*(asyncio.sleep(10) for _ in range(3)), return_exceptions=True)


async def works(times):
    for _ in range(times):
        time.sleep(0.1)
        await asyncio.sleep(0)


async def gathers_work():
    await asyncio.gather(*(works(10) for _ in range(2)), return_exceptions=True)


async def gathers_work_for_each():
    for _ in INVOICES:
        await asyncio.gather(works(1), return_exceptions=True)


async def gathers_work_and_raises():
    await asyncio.gather(*(works(10) for _ in range(2)))


@app.task(soft_time_limit=1, time_limit=3)
def await_below_a_broad_clause():
    asyncio.run(awaits_in_a_broad_clause())


@app.task(soft_time_limit=1, time_limit=3)
def await_below_a_bare_clause():
    asyncio.run(awaits_in_a_bare_clause())


@app.task(soft_time_limit=1, time_limit=3)
def await_below_a_clause_for_all():
    asyncio.run(awaits_in_a_clause_for_all())


@app.task(soft_time_limit=1, time_limit=3)
def blocking_work_below_a_broad_clause():
    asyncio.run(blocks_in_a_broad_clause())


@app.task(soft_time_limit=1, time_limit=3)
def blocking_sleep_below_a_broad_clause():
    asyncio.run(sleeps_in_a_broad_clause())


@app.task(soft_time_limit=1, time_limit=3)
def work_in_the_main_thread_below_a_broad_clause():
    async_to_sync(awaits_the_main_thread)()


@app.task(soft_time_limit=1, time_limit=3)
def await_without_a_handler():
    asyncio.run(awaits_without_a_handler())


@app.task(soft_time_limit=1, time_limit=3)
def broad_clause_round_run():
    try:
        asyncio.run(awaits_without_a_handler())
    except Exception:
        log.exception("not all invoices are sent")


@app.task(soft_time_limit=1, time_limit=3)
def broad_clause_round_run_in_a_loop():
    for invoice in INVOICES:
        try:
            asyncio.run(send(invoice))
        except Exception:
            log.exception("invoice %s is not sent", invoice)


@app.task(soft_time_limit=1, time_limit=3)
def gather_that_returns_errors_of_awaits():
    asyncio.run(gathers_awaits())


@app.task(soft_time_limit=1, time_limit=3)
def gather_that_returns_errors_of_work():
    asyncio.run(gathers_work())


@app.task(soft_time_limit=1, time_limit=3)
def gather_that_returns_errors_in_a_loop():
    asyncio.run(gathers_work_for_each())


@app.task(soft_time_limit=1, time_limit=3)
def gather_that_raises_errors_of_work():
    asyncio.run(gathers_work_and_raises())


@app.task(soft_time_limit=1, time_limit=3)
def await_in_another_thread():
    async_to_sync(awaits_in_a_broad_clause)()
