"""The work that every task has to do: a hundred invoices, each of which takes a moment to post."""

import logging
import time

log = logging.getLogger(__name__)

INVOICES = range(100)


class PostingError(Exception):
    """A ledger that does not take an invoice."""


def post(invoice: int) -> int:
    time.sleep(0.1)
    return invoice
