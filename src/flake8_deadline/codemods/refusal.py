"""An edit that is not made."""

from __future__ import annotations


class RefusedError(Exception):
    """An edit that is not made; the message says why, in one line, for the person whose file it is."""
