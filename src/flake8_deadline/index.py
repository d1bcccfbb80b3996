"""The project's files: found on disk, read or recalled, linked. The one module that joins the tree, the cache and the readers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec
from msgspec import Struct

from flake8_deadline import cache, tree
from flake8_deadline.facts import Fault, Outline, Summary
from flake8_deadline.options import Options
from flake8_deadline.reading.outline import outline
from flake8_deadline.reading.python import read

_SMALL = 200
"""A project of at most so many files is parsed whole, so that every syntax error in it is known; a larger one where something asks for it."""


class FileError(Struct, frozen=True, order=True):
    """A file that could not be read or parsed, and why. `line` is 0 where none can be named."""

    path: str
    line: int
    message: str


class Index:
    """The Python files under `options.root`; `overrides` are texts to use in place of the files' own, by path relative to the root."""

    def __init__(self, options: Options, overrides: Mapping[str, bytes], paths: Iterable[str]) -> None:
        found = tree.walk(options.root, options.exclude_from_index)
        self._overrides = dict(overrides)
        self._cache = cache.Cache.open(options.root, options.cache_dir)
        named = {path: tree.is_inside(options.root, path) for path in paths if path.endswith(".py")}
        self._explicit = sorted(path for path, inside in named.items() if inside)
        listed = sorted({*found.files, *self._explicit, *overrides})
        self.hashes = self._cache.hashes(path for path in listed if path not in overrides)
        self.hashes |= {path: cache.content_hash(text) for path, text in overrides.items()}
        roots = tree.source_roots(found)
        self._names = {path: tree.module_names(path, roots) for path in listed if path in self.hashes}
        self._errors = {FileError(problem.path, 0, problem.reason) for problem in (*found.problems, *self._cache.problems)}
        self._errors |= {FileError(path, 0, "leads out of the project") for path, inside in named.items() if not inside}
        self._outlines: dict[str, Outline] = {}
        self._is_whole = True

    # What linking asks for (project.Files)

    @property
    def names(self) -> Mapping[str, Sequence[str]]:
        return self._names

    def outline(self, path: str) -> Outline:
        known = self._outlines.get(path)
        if known is None:
            digest = self.hashes[path]
            known = self._cache.outline(digest)
            if known is None:
                text = self._text(path)
                known = outline(text or b"")
                if text is not None:
                    self._cache.put_outline(digest, known)
            self._outlines[path] = known
        return known

    def summary(self, path: str) -> Summary:
        digest = self.hashes[path]
        known = self._cache.summary(digest)
        if known is None:
            text = self._text(path)
            known = read(text or b"")
            if text is not None:
                self._cache.put_summary(digest, known)
        if isinstance(known.fault, Fault):
            self._errors.add(FileError(path, known.fault.line, known.fault.message))
        return known

    def mentions(self, words: Iterable[str], among: Iterable[str] | None = None) -> Iterator[str]:
        needles = [word.encode() for word in words]
        for path in self._names if among is None else among:
            text = (self._text(path) or b"") if needles else b""
            if any(needle in text for needle in needles):
                yield path

    def _text(self, path: str) -> bytes | None:
        """The bytes that were hashed; None if they cannot be had any more: then nothing that is said of them is kept."""
        text = self._overrides.get(path)
        if text is not None:
            return text
        try:
            return self._cache.text(path)
        except tree.UnreadableError as error:
            self._errors.add(FileError(path, 0, error.problem.reason))
            self._is_whole = False
            return None

    # What a run asks for

    def doubtful(self) -> Iterable[str]:
        """The files to parse for their syntax alone: those named, those that look odd, all of a small project."""
        if len(self._names) <= _SMALL:
            return list(self._names)
        return [path for path in self._names if path in self._explicit or self.outline(path).suspect]

    def errors(self) -> tuple[FileError, ...]:
        return tuple(sorted(self._errors))

    def recall(self, inputs: Iterable[bytes]) -> bytes | None:
        """The result of an earlier run with the same files, module names, problems and inputs."""
        found = msgspec.json.encode((sorted(self._names.items()), self.errors()))
        self._key = cache.run_key(self.hashes, [found, *inputs])
        return self._cache.recall(self._key)

    def remember(self, result: bytes) -> None:
        """Keep the result of this run, unless a file changed while it was being read."""
        if self._is_whole:
            self._cache.remember(self._key, result)

    def save(self) -> None:
        self._cache.save()
