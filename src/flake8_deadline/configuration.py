"""What the configuration says: flake8's file, the values of our options, and where the project's root is.

Decides whether a value can be used and what it means. Which default-off codes are on is the plugin's business, and what an option does
to the findings is the engine's.
"""

from __future__ import annotations

import configparser
import difflib
import logging
import os
import re
import sys
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Literal, NamedTuple, cast

from flake8.exceptions import ExecutionError
from flake8.main.options import stage1_arg_parser
from flake8.options.config import load_config

from flake8_deadline import requirements
from flake8_deadline.flags import FLAGS, attribute
from flake8_deadline.options import Options, Scope

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

FILE_NAMES = ("setup.cfg", "tox.ini", ".flake8")
"""Where flake8 looks, in its order."""

Kind = Literal["codes", "names"]
_SHAPES: dict[Kind, tuple[re.Pattern[str], str]] = {
    "codes": (re.compile(r"[A-Z]{1,3}[0-9]{1,3}", re.ASCII), "a code such as LIM109"),
    "names": (re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*"), "a dotted name such as project.tasks.job"),
}
_DEEPEST_PIN = 3
_MOST_FOLDERS = 1000
"""How deep below the root, and in how many folders, requirement files are looked for."""
_LONGEST_LOCK = 8_000_000
"""Characters."""
_VERSION = re.compile(r"\d+(\.\d+)*", re.ASCII)


class ConfigurationError(ExecutionError):  # type: ignore[misc, unused-ignore]
    """A value, file or directory that cannot be used; the text names it and says why. flake8 prints it without a traceback."""


class Configuration(NamedTuple):
    """The configuration that flake8 uses for this run."""

    directory: str | None = None
    """Directory of the file that flake8 found or was given; None without one."""
    files: str = ""
    """The files by name, for messages."""
    written: Mapping[str, str] = {}
    """Our options in the file, by attribute name."""
    complaints: tuple[str, ...] = ()
    """Files that flake8 passes over because they cannot be read as configuration: path and reason."""


def load(config: str | None, extra: list[str], *, isolated: bool) -> tuple[configparser.RawConfigParser, str, Configuration]:
    """Find and read the configuration as flake8 does; also returns the parser and the directory that flake8 resolves paths against.

    Raises ConfigurationError for a named file that cannot be used and for an option of ours that does not exist.
    """
    try:
        with _complaints() as complaints:
            parser, base = load_config(config=config, extra=extra, isolated=isolated)
            main = load_config(config=config, extra=[], isolated=isolated)[0] if extra else parser
    except (configparser.Error, UnicodeDecodeError, OSError) as error:
        named = ", ".join(filter(None, [config, *extra])) or "configuration file"
        raise ConfigurationError(f"{named}: cannot be read as configuration: {_one_line(error)}") from error
    found = config is not None or bool(main.sections())
    written = {key.replace("-", "_"): value for key, value in parser.items("flake8")} if parser.has_section("flake8") else {}
    ours = {key: value for key, value in written.items() if key.startswith("deadline_")}
    files = ", ".join([config or _found_in(base), *extra])
    _refuse_unknown(ours, files)
    return parser, base, Configuration(os.path.abspath(base) if found else None, files, ours, tuple(dict.fromkeys(complaints)))


def of_running_flake8() -> Configuration:
    """The configuration of the flake8 process we are a plugin of.

    flake8 does not hand it to plugins, so its command line is read again, by flake8's own parser. In another program (an editor's server,
    a test runner) the arguments are not flake8's, and the configuration is the one that flake8 would find by itself.
    """
    program = sys.argv[0].replace("\\", "/").removesuffix(".exe")
    arguments = sys.argv[1:] if program.endswith(("/flake8", "flake8/__main__.py")) or program == "flake8" else []
    known, _ = stage1_arg_parser().parse_known_args(arguments)
    return load(known.config, known.append_config, isolated=known.isolated)[2]


def options(values: Mapping[str, object], configuration: Configuration, paths: Sequence[str]) -> Options:
    """The options of a run, from `values` as they were written; raises ConfigurationError for one that cannot be used.

    `paths` are the files and directories named for the run: they matter to the root only where all of them lie outside it.
    """
    text = {flag.name: _text(values.get(attribute(flag.name))) for flag in FLAGS}
    scope, version, cache = text["deadline-scope"], text["deadline-celery-version"], text["deadline-cache-dir"]
    if scope not in ("", "tasks", "everywhere"):
        raise ConfigurationError(f"deadline-scope: {scope!r} is neither 'tasks' nor 'everywhere'")
    if version and not _VERSION.fullmatch(version):
        raise ConfigurationError(f"deadline-celery-version: {version!r} is not a version such as 5.6")
    root = _root(_path(text["deadline-root"], "deadline_root", configuration), configuration, paths)
    return Options(
        root=root,
        versions=pinned(root),
        enable=_list(text, "deadline-enable", "codes"),
        scope=cast("Scope", scope or "tasks"),
        task_decorators=_list(text, "deadline-task-decorators", "names"),
        signals=_list(text, "deadline-signals", "names"),
        cheap_calls=_list(text, "deadline-cheap-calls", "names"),
        exclude_from_index=tuple(_words(text["deadline-exclude-from-index"])),
        cache_dir=cache if cache == "none" else _path(cache, "deadline_cache_dir", configuration),
        celery_version=version,
    )


def pinned(root: str) -> tuple[tuple[str, str], ...]:
    """What the requirement and lock files pin that lie in the root or not far below it, sorted. One that cannot be read says nothing.

    A distribution that is pinned to several versions is taken not to be pinned.
    """
    found: dict[str, set[str]] = {}
    folders = [(root, 0)]
    for folder, depth in folders:
        with suppress(OSError), os.scandir(folder) as entries:
            for entry in sorted(entries, key=lambda entry: entry.name):
                if entry.is_dir(follow_symlinks=False):
                    if depth < _DEEPEST_PIN and len(folders) < _MOST_FOLDERS and not entry.name.startswith((".", "node_modules")):
                        folders.append((entry.path, depth + 1))
                elif requirements.is_pinning(entry.name, os.path.basename(folder)) and entry.is_file(follow_symlinks=False):
                    for name, version in requirements.pins(_beginning(entry.path)):
                        found.setdefault(name, set()).add(version)
    return tuple(sorted((name, versions.pop()) for name, versions in found.items() if len(versions) == 1))


def _beginning(path: str) -> str:
    """The text of a file, as far as a lock file of any sense goes."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read(_LONGEST_LOCK)
    except OSError:
        return ""


def project_root(configuration: Configuration, paths: Sequence[str]) -> str:
    """Absolute path of the directory where the index starts.

    The directory of flake8's configuration file, where it holds the current directory and does not reach beyond the repository; else the
    repository; else the current directory. Never from `paths`, so that three files know the whole project, but for one case: where all of
    them lie outside that root (or above it), little could be said about them, and the root is their own repository or directory.
    """
    here = os.getcwd()
    repository = _repository(here)
    directory = configuration.directory
    if directory is not None and _is_within(here, directory) and (repository is None or _is_within(directory, repository)):
        root = directory
    else:
        root = repository or here
    named = [os.path.abspath(path) for path in paths if path != "-"]
    if named and not any(_is_within(path, root) for path in named):
        tops = {path if os.path.isdir(path) else os.path.dirname(path) for path in named}
        common = _common(tops)
        return root if common is None else _repository(common) or common
    return root


def inner_path(path: str, top: str) -> list[str] | None:
    """The names that lead from `top` to `path`, none where they are the same; None where it does not lie there.

    Compared as written first, then with the links on the way resolved; a file that is itself a link stays a file of its own.
    """
    for resolve in (os.path.abspath, _real):
        place, above = resolve(path), resolve(top)
        if place == above:
            return []
        above = above.rstrip(os.sep) + os.sep
        if place.startswith(above):
            return place[len(above) :].split(os.sep)
    return None


def _real(path: str) -> str:
    return os.path.realpath(path) if os.path.isdir(path) else os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))


def _is_within(path: str, top: str) -> bool:
    return inner_path(path, top) is not None


def _common(directories: set[str]) -> str | None:
    try:
        common = os.path.commonpath(directories)
    except ValueError:  # on different drives
        return None
    return None if common == os.path.dirname(common) else common


def _repository(directory: str) -> str | None:
    while not os.path.exists(os.path.join(directory, ".git")):
        parent = os.path.dirname(directory)
        if parent == directory:
            return None
        directory = parent
    return directory


def is_text(path: str) -> bool:
    """Whether a path is valid in UTF-8: what is not can be neither kept nor reported."""
    return not any("\udc80" <= one <= "\udcff" for one in path)


def _root(wanted: str, configuration: Configuration, paths: Sequence[str]) -> str:
    root = wanted or project_root(configuration, paths)
    if not os.path.isdir(root):
        raise ConfigurationError(f"deadline-root: {root} is not a directory")
    if not is_text(root):
        raise ConfigurationError(f"{os.fsencode(root).decode(errors='backslashreplace')}: the name of the project's root is not valid UTF-8")
    return root


def _path(value: str, key: str, configuration: Configuration) -> str:
    """A path as an absolute one: what stands in the file is relative to the file, what stands on the command line to the current directory."""
    if not value:
        return ""
    in_file = configuration.directory is not None and configuration.written.get(key) == value
    return os.path.abspath(os.path.join(configuration.directory or "", value) if in_file else value)


def _text(value: object) -> str:
    # A TOML configuration gives lists where an ini file gives text.
    return ",".join(str(item) for item in value) if isinstance(value, (list, tuple)) else str(value or "").strip()


def _words(text: str) -> Iterator[str]:
    return (word for word in re.split(r"[,\s]+", text) if word)


def _list(text: Mapping[str, str], name: str, kind: Kind) -> tuple[str, ...]:
    shape, called = _SHAPES[kind]
    for word in _words(text[name]):
        if not shape.fullmatch(word):
            raise ConfigurationError(f"{name}: {word!r} is not {called}")
    return tuple(_words(text[name]))


def _found_in(directory: str) -> str:
    """The file that flake8 chose: the first with a section of its own."""
    for name in FILE_NAMES:
        path, parser = os.path.join(directory, name), configparser.RawConfigParser()
        with suppress(configparser.Error, UnicodeDecodeError):
            parser.read(path, encoding="UTF-8")
            if any(section.partition(":")[0] == "flake8" for section in parser.sections()):
                return path
    return directory


def _refuse_unknown(ours: Mapping[str, str], files: str) -> None:
    known = [flag.name.removeprefix("deadline-") for flag in FLAGS]
    for key in ours:
        name = key.removeprefix("deadline_").replace("_", "-")
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1)
            hint = f"; did you mean deadline-{near[0]}?" if near else ""
            raise ConfigurationError(f"deadline-{name}: no such option, in the [flake8] section of {files}{hint}")


@contextmanager
def _complaints() -> Iterator[list[str]]:
    """What flake8 logs about files it passes over; it shows this to nobody who has not asked for more output."""
    lines: list[str] = []

    class Collector(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            path, reason = cast("tuple[str, Exception]", record.args)
            lines.append(f"{path}: cannot be read as configuration: {_one_line(reason)}")

    log, collector = logging.getLogger("flake8.options.config"), Collector(level=logging.WARNING)
    log.addHandler(collector)
    try:
        yield lines
    finally:
        log.removeHandler(collector)


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())
