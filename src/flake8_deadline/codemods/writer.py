"""A project's files, as far as a codemod touches them: read, and replaced whole or not at all.

Never leads out of the root, never follows where a link points outside, never overwrites what somebody else has just changed. What to
write, and whether uncommitted work forbids it, is decided elsewhere.
"""

from __future__ import annotations

import os
import stat
import tempfile
from contextlib import suppress
from typing import TYPE_CHECKING

from flake8_deadline.codemods.refusal import RefusedError

if TYPE_CHECKING:
    from pathlib import Path


def read(root: Path, path: str) -> bytes:
    """The bytes of a file, `path` relative to `root`. Raises `RefusedError`."""
    try:
        return _locate(root, path).read_bytes()
    except OSError as error:
        raise RefusedError(f"cannot be read: {error.strerror}") from error


def write(root: Path, path: str, old: bytes, new: bytes) -> None:
    """Replace a file that still holds `old`. The file is the old or the new one at any time, with the same mode.

    Raises `RefusedError`.
    """
    target = _locate(root, path)
    try:
        status = target.stat()
        # A rename asks nothing of the file it replaces, so its own permission is asked here.
        if not os.access(target, os.W_OK):
            raise RefusedError("the file is read-only")
        if target.read_bytes() != old:
            raise RefusedError("the file has changed since it was read")
        _replace(target, new, status)
    except OSError as error:
        raise RefusedError(f"cannot be written: {error.strerror}") from error


def _locate(root: Path, path: str) -> Path:
    """The real path of a regular file under the root."""
    try:
        target = (root / path).resolve(strict=True)
    except (OSError, RuntimeError, ValueError) as error:
        raise RefusedError(f"cannot be found: {getattr(error, 'strerror', None) or error}") from error
    if not target.is_relative_to(root.resolve()):
        raise RefusedError("the file lies outside the project's root")
    if not target.is_file():
        raise RefusedError("not a regular file")
    return target


def _replace(target: Path, new: bytes, status: os.stat_result) -> None:
    descriptor, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(new)
            stream.flush()
            os.fsync(stream.fileno())
        # Only root may give a file away; for everybody else the owner is the same already, or cannot be kept.
        with suppress(OSError, AttributeError):
            os.chown(name, status.st_uid, status.st_gid)
        os.chmod(name, stat.S_IMODE(status.st_mode))
        os.replace(name, target)
    except BaseException:
        with suppress(FileNotFoundError):
            os.unlink(name)
        raise
