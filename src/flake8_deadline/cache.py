"""What earlier runs have found out, on disk: Outlines and Summaries by content hash, and the results of whole runs.

Decides when stored work may stand in for new work; the answer is always what computing it again would give. A cache that is missing,
damaged, foreign or not writable is an empty one, and no reason to fail. What the facts and the results mean is of no concern here.

One directory, a few files. Each is replaced as a whole and sealed with a hash keyed by the code that wrote it, so that a file is either
intact and of this very code or as good as absent. Nothing is executed when one is read: it is msgpack, decoded into the types of `facts`.
"""

from __future__ import annotations

import contextlib
import os
import sys
from hashlib import blake2b
from typing import TYPE_CHECKING, Generic, TypeVar, Union

import msgspec

import flake8_deadline
from flake8_deadline.facts import Outline, Summary
from flake8_deadline.tree import Problem, UnreadableError, read

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Set

DIRECTORY = ".flake8_deadline_cache"
NO_CACHE = "none"
HELD_BYTES = 16 * 1024 * 1024
"""How many bytes of sources stay in memory for `Cache.text`, so that a file just hashed need not be read again."""
RUNS = 4
"""How many runs can be recalled."""
FILE_LIMIT = 512 * 1024 * 1024
"""Bytes; a larger file in the cache is nothing of ours."""
HAS_CHANGE_TIME = os.name == "posix"
"""Whether the system keeps a time of change that no program can set back."""

_HASH_SIZE = 16
_FLAGS = sum(getattr(os, name, 0) for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_BINARY"))
_TAG = b"Signature: 8a477f597d28d172789f06886806bc55\n# The cache of flake8-deadline. It may be deleted at any time.\n"

Type = TypeVar("Type")
Stored = Union[bytes, memoryview]
Stamp = tuple[int, int, int, int, int]
"""Device, inode, size in bytes, time of the last change and of the last modification in nanoseconds."""


def content_hash(text: bytes) -> bytes:
    return blake2b(text, digest_size=_HASH_SIZE).digest()


def run_key(hashes: Mapping[str, bytes], inputs: Iterable[bytes]) -> bytes:
    """The name of a run: the content hash of each file by path, and whatever else its result depends on (options, explicit paths, …)."""
    parts = [path.encode("utf-8", "surrogatepass") + b"\0" + hashes[path] for path in sorted(hashes)]
    parts.append(b"\0")
    for value in inputs:
        parts += (len(value).to_bytes(8, "big"), value)
    return content_hash(b"".join(parts))


def fingerprints(package: str) -> tuple[bytes, bytes]:
    """What identifies the code that reads a file, and the code as a whole: interpreter, version, and the sources under `package`."""
    identity = f"{sys.implementation.name} {sys.hexversion} {flake8_deadline.__version__}".encode()
    reading = blake2b(identity, digest_size=_HASH_SIZE)
    everything = blake2b(identity, digest_size=_HASH_SIZE)
    for directory, directories, files in os.walk(package):
        directories.sort()
        for name in sorted(files):
            path = os.path.relpath(os.path.join(directory, name), package).replace(os.sep, "/")
            # An editor's lock beside a module (`.#facts.py`) is a link to nowhere.
            if not name.endswith(".py") or name.startswith("."):
                continue
            part = path.encode() + b"\0" + content_hash(read(package, path))
            everything.update(part)
            if path in {"facts.py", "swallow.py"} or path.startswith("reading/"):
                reading.update(part)
    return reading.digest(), everything.digest()


class Cache:
    """The cache of one project for one run. First ask for the hashes of all its files, then get and put, at the end save."""

    def __init__(self, root: str, directory: str | None) -> None:
        """Both absolute; without a directory everything stays in memory."""
        reading, self._code = fingerprints(os.path.dirname(os.path.abspath(__file__)))
        self.problems: list[Problem] = []
        """The files that could not be read."""
        self._root = root
        self._prefix = os.path.join(root, "")
        self._folder = _Folder(directory)
        self._outlines = _Facts(self._folder, "outlines", reading, Outline)
        self._summaries = _Facts(self._folder, "summaries", reading, Summary)
        self._runs: list[tuple[bytes, bytes]] | None = None
        self._runs_changed = False
        self._old_stamps = _decoded(self._folder.load("stamps", self._code), dict[str, tuple[Stamp, bytes]]) or {}
        self._stamps: dict[str, tuple[Stamp, bytes]] = {}
        self._hashes: dict[str, bytes] = {}
        self._held: dict[str, bytes] = {}
        self._room = HELD_BYTES

    @classmethod
    def open(cls, root: str, cache_dir: str = "") -> Cache:
        """`root` is absolute, `cache_dir` is as in `Options`. Nothing is created on disk before there is something to write."""
        if cache_dir == NO_CACHE:
            return cls(root, None)
        directory = os.path.join(root, os.path.expanduser(cache_dir) or DIRECTORY)
        # A repository may be anyone's: a link that it holds must not have us write elsewhere. A directory that was asked for may be a link.
        return cls(root, None if not cache_dir and os.path.islink(directory) else directory)

    def hashes(self, paths: Iterable[str]) -> dict[str, bytes]:
        """The content hash of each of these files that can be read; the others go to `problems`. Paths are relative to the root."""
        found = {}
        for path in paths:
            stamp = self._stamp(path)
            known = self._old_stamps.get(path)
            if known is not None and known[0] == stamp:
                self._stamps[path] = known
                found[path] = known[1]
            else:
                digest = self._read(path, stamp)
                if digest is not None:
                    found[path] = digest
        self._hashes.update(found)
        return found

    def _stamp(self, path: str) -> Stamp | None:
        try:
            status = os.stat(self._prefix + path)
        except (OSError, ValueError):
            return None
        return status.st_dev, status.st_ino, status.st_size, status.st_ctime_ns, status.st_mtime_ns

    def _read(self, path: str, stamp: Stamp | None) -> bytes | None:
        """Hash a file, and keep its stamp if every later change must alter it.

        That is so if the stamp is older than the file system's clock was before the first file was read: git's rule for racy entries,
        with the clock looked at before reading, where git looks after.
        """
        clock = self._folder.clock()
        try:
            text = read(self._root, path)
        except UnreadableError as error:
            self.problems.append(error.problem)
            return None
        digest = content_hash(text)
        if stamp is not None and clock is not None and stamp[0] == clock[0] and max(stamp[3], stamp[4]) < clock[1]:
            self._stamps[path] = stamp, digest
        if len(text) <= self._room:
            self._room -= len(text)
            self._held[path] = text
        return digest

    def text(self, path: str) -> bytes:
        """The bytes that `hashes` has hashed. Raises `UnreadableError` if the file is gone or has changed since."""
        held = self._held.get(path)
        if held is not None:
            return held
        text = read(self._root, path)
        if content_hash(text) != self._hashes.get(path):
            raise UnreadableError(path, "changed while the project was being read")
        return text

    def outline(self, digest: bytes) -> Outline | None:
        return self._outlines.get(digest)

    def put_outline(self, digest: bytes, outline: Outline) -> None:
        self._outlines.put(digest, outline)

    def summary(self, digest: bytes) -> Summary | None:
        return self._summaries.get(digest)

    def put_summary(self, digest: bytes, summary: Summary) -> None:
        self._summaries.put(digest, summary)

    def recall(self, key: bytes) -> bytes | None:
        """What was remembered of the run with this `run_key`."""
        return next((payload for name, payload in self._loaded_runs() if name == key), None)

    def remember(self, key: bytes, payload: bytes) -> None:
        runs = self._loaded_runs()
        self._runs = [(key, payload), *(run for run in runs if run[0] != key)][:RUNS]
        self._runs_changed = self._runs_changed or self._runs != runs

    def _loaded_runs(self) -> list[tuple[bytes, bytes]]:
        if self._runs is None:
            self._runs = _decoded(self._folder.load("runs", self._code), list[tuple[bytes, bytes]]) or []
        return self._runs

    def save(self) -> None:
        """Write what is new. Facts about contents that no file has any more are dropped with it."""
        contents = set(self._hashes.values())
        self._outlines.save(contents)
        self._summaries.save(contents)
        if self._hashes and self._stamps != self._old_stamps:
            self._folder.store("stamps", self._code, self._stamps)
            self._old_stamps = dict(self._stamps)
        if self._runs_changed:
            self._folder.store("runs", self._code, self._runs)
            self._runs_changed = False


class _Facts(Generic[Type]):
    """One kind of facts by content hash. Its file is loaded when first asked, an entry decoded when it is wanted."""

    def __init__(self, folder: _Folder, name: str, key: bytes, kind: type[Type]) -> None:
        self._folder = folder
        self._name = name
        self._key = key
        self._kind = kind
        self._stored: dict[bytes, Stored] | None = None
        self._new: dict[bytes, Type] = {}

    def _entries(self) -> dict[bytes, Stored]:
        if self._stored is None:
            # Views into the one buffer the file was read into: what nobody asks for is never copied.
            self._stored = {**(_decoded(self._folder.load(self._name, self._key), dict[bytes, memoryview]) or {})}
        return self._stored

    def get(self, digest: bytes) -> Type | None:
        new = self._new.get(digest)
        if new is not None:
            return new
        stored = self._entries().get(digest)
        return None if stored is None else _decoded(stored, self._kind)

    def put(self, digest: bytes, fact: Type) -> None:
        self._new[digest] = fact

    def save(self, contents: Set[bytes]) -> None:
        """Write the new facts about these contents, and keep the old ones."""
        added: dict[bytes, Stored] = {}
        for digest in contents & self._new.keys():
            encoded = _encoded(self._new[digest])
            if encoded is not None:
                added[digest] = encoded
                del self._new[digest]
        if added:
            kept = {digest: stored for digest, stored in self._entries().items() if digest in contents}
            self._stored = kept | added
            self._folder.store(self._name, self._key, self._stored)


class _Folder:
    """The directory: whole files in, whole files out, and a clock. What goes wrong in it stays in it."""

    def __init__(self, path: str | None) -> None:
        self._path = path
        self._writable: bool | None = None
        self._clock: tuple[int, int] | None = None

    def load(self, name: str, key: bytes) -> memoryview:
        """A file's content; empty if it is not there, not whole, or sealed with another key."""
        try:
            data = memoryview(b"" if self._path is None else read(self._path, name, FILE_LIMIT))
        except UnreadableError:
            return memoryview(b"")
        content = data[_HASH_SIZE:]
        return content if data[:_HASH_SIZE] == _seal(content, key) else memoryview(b"")

    def store(self, name: str, key: bytes, value: object) -> None:
        content = _encoded(value)
        if content is not None and self._is_writable():
            with contextlib.suppress(OSError):
                self._replace(name, _seal(content, key) + content)

    def clock(self) -> tuple[int, int] | None:
        """The device of the directory, and what its clock showed (in nanoseconds) when it was first asked; None if that cannot be had."""
        if self._clock is None and HAS_CHANGE_TIME and self._is_writable():
            with contextlib.suppress(OSError):
                descriptor = os.open(self._inside("clock"), os.O_WRONLY | os.O_CREAT | _FLAGS, 0o666)
                try:
                    os.utime(descriptor)
                    status = os.fstat(descriptor)
                finally:
                    os.close(descriptor)
                self._clock = status.st_dev, status.st_mtime_ns
        return self._clock

    def _inside(self, name: str) -> str:
        return os.path.join(self._path or "", name)

    def _is_writable(self) -> bool:
        if self._writable is None:
            self._writable = self._path is not None and self._create(self._path)
        return self._writable

    def _create(self, path: str) -> bool:
        """Make the directory, and have version control and backups ignore it, unless somebody keeps other things there."""
        try:
            os.makedirs(path, exist_ok=True)
            if not os.listdir(path):
                self._replace(".gitignore", b"*\n")
                self._replace("CACHEDIR.TAG", _TAG)
        except (OSError, ValueError):
            return False
        return True

    def _replace(self, name: str, data: bytes) -> None:
        temporary = self._inside(f"{name}.{os.getpid()}.{os.urandom(4).hex()}")
        try:
            with open(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _FLAGS, 0o666), "wb") as file:
                file.write(data)
            os.replace(temporary, self._inside(name))
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
            raise


def _seal(content: bytes | memoryview, key: bytes) -> bytes:
    return blake2b(content, digest_size=_HASH_SIZE, key=key).digest()


def _encoded(value: object) -> bytes | None:
    """None for what msgpack cannot hold: too deep, an integer beyond 64 bits, half a surrogate pair. It is computed again next time."""
    try:
        return msgspec.msgpack.encode(value)
    except (RecursionError, OverflowError, UnicodeEncodeError):
        return None


def _decoded(content: Stored, kind: type[Type]) -> Type | None:
    if not content:
        return None
    try:
        return msgspec.msgpack.decode(content, type=kind)
    except (msgspec.DecodeError, RecursionError):
        return None
