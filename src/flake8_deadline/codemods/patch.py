"""A change as a unified diff that `git apply` takes.

Bytes throughout, as a diff has no encoding of its own. Lines are what git takes for lines: they end at a line feed and nowhere else.
"""

from __future__ import annotations

import difflib
import os
import re

_LINES = re.compile(rb"[^\n]*\n|[^\n]+")
_QUOTED = re.compile(rb'[\x00-\x1f"\\\x7f]')


def unified_diff(path: str, old: bytes, new: bytes) -> bytes:
    """The diff from `old` to `new` of the file at `path`, which has `/` between its parts; empty if there is none."""
    names = _name(f"a/{path}"), _name(f"b/{path}")
    return b"".join(map(_ended, difflib.diff_bytes(difflib.unified_diff, _LINES.findall(old), _LINES.findall(new), *names)))


def _ended(line: bytes) -> bytes:
    return line if line.endswith(b"\n") else line + b"\n\\ No newline at end of file\n"


def _name(path: str) -> bytes:
    """A path as git writes it: in quotes where it must be, with a tab after it where a blank could be taken for its end."""
    name = os.fsencode(path)
    if _QUOTED.search(name):
        return b'"' + _QUOTED.sub(lambda found: b"\\%03o" % ord(found[0]), name) + b'"'
    return name + b"\t" if b" " in name else name
