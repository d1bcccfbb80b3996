"""Where in a command line `celery` starts, behind what wraps it, and what the wrappers set.

A wrapper is a row: which of its options take a value, which word has to come first, how many words precede the command. Whether the command
is a worker is `arguments`' matter; what a script or a shell's text says is read by whoever holds it.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from typing import NamedTuple

from flake8_deadline.expansion import Argument


class Found(NamedTuple):
    kind: str
    """"celery", "module" (`python -m celery`), "manage" (Django's), "wrapper" (a project's own command), "script", "shell"."""
    rest: tuple[Argument, ...]
    """The arguments of `celery`, of the script, or behind the shell's text."""
    at: Argument
    """The word `celery`, the script, the shell's text."""
    assignments: tuple[tuple[str, Argument], ...]
    index: int  # type: ignore[assignment]  # a tuple has a method of this name; nobody calls it here
    """Which of the arguments `at` is."""


class Wrapper(NamedTuple):
    valued: frozenset[str] = frozenset()
    """The options that take the next word."""
    word: str = ""
    """The subcommand that runs a command."""
    operands: int = 0
    """How many words stand before the command."""
    assigns: bool = False
    """Whether `NAME=value` may stand before the command."""
    module: bool = False
    """Whether `-m` names a module, and a word a Python file."""
    dashes: bool = False
    """Whether the command starts behind `--` only."""
    quoted: bool = False
    """Whether the command is one word."""
    text: frozenset[str] = frozenset()
    """The options whose value is a shell's text."""


def _row(valued: str = "", word: str = "", operands: int = 0, text: str = "", **flags: bool) -> Wrapper:
    return Wrapper(frozenset(valued.split()), word, operands, text=frozenset(text.split()), **flags)


_PYTHON = _row("-W -X --check-hash-based-pycs", module=True)
_MANAGE = _row("--settings --pythonpath -v --verbosity")
_USER = _row(operands=1)
_WAIT = _row(dashes=True)
_WITH_C = _row("-u -g -G -s --shell --user --group", operands=1, text="-c --command")
_RUN = _row("-f --file -e --env -p --project -C --directory -d --dir", "run")

WRAPPERS = {
    "exec": _row("-a"),
    "eval": _row(),
    "nohup": _row(),
    "setsid": _row(),
    "unbuffer": _row(),
    "with-contenv": _row(),
    "env": _row("-u --unset -C --chdir", assigns=True),
    "time": _row("-o --output -f --format"),
    "nice": _row("-n --adjustment"),
    "ionice": _row("-c --class -n --classdata"),
    "stdbuf": _row("-i --input -o --output -e --error"),
    "taskset": _row(operands=1),
    "timeout": _row("-s --signal -k --kill-after", operands=1),
    "chroot": _USER,
    "sudo": _row("-u --user -g --group -h --host -p --prompt -C -D --chdir -R --chroot -r --role -t --type -T -U", assigns=True),
    "doas": _row("-u -C"),
    "su": _WITH_C,
    "runuser": _row("-u --user -g -G -s --shell", text="-c --command"),
    "gosu": _USER,
    "su-exec": _USER,
    "setuidgid": _USER,
    "s6-setuidgid": _USER,
    "s6-envdir": _USER,
    "envdir": _USER,
    "setlock": _USER,
    "flock": _row("-w --timeout --wait -E --conflict-exit-code", operands=1, text="-c --command"),
    "setpriv": _row("--reuid --regid --groups --inh-caps --ambient-caps --bounding-set --securebits --pdeathsig --selinux-label --apparmor-profile"),
    "chpst": _row("-u -U -b -e -/ -n -l -L -m -d -o -p -f -c -t -r -a"),
    "tini": _row("-p -e"),
    "docker-init": _row("-p -e"),
    "catatonit": _row(),
    "dumb-init": _row("-r --rewrite"),
    "xvfb-run": _row("-e --error-file -f --auth-file -n --server-num -p --xauth-protocol -s --server-args -w --wait"),
    "strace": _row("-e -o -p -s -u -E"),
    "poetry": _row("-C --directory -P --project", "run"),
    "pipenv": _row("--python", "run"),
    "pdm": _row("-p --project", "run"),
    "rye": _row("-p --pyproject", "run"),
    "hatch": _row("-e --env -p --project --data-dir --cache-dir --config", "run"),
    "pixi": _row("-e --environment --manifest-path", "run"),
    "conda": _row("-n --name -p --prefix --cwd", "run"),
    "micromamba": _row("-n --name -p --prefix --cwd", "run"),
    "uv": _row(
        "--with --with-requirements --with-editable --extra --no-extra --group --no-group --only-group --env-file --python -p --directory --project"
        " --package --index --default-index --index-url -i --extra-index-url --cache-dir --config-file --link-mode --refresh-package",
        "run",
        module=True,
    ),
    "dotenv": _RUN,
    "honcho": _RUN,
    "foreman": _RUN,
    "op": _row("--env-file --account", "run"),
    "infisical": _row("--env -e --path --projectId --token", "run", text="--command"),
    "doppler": _row("-p --project -c --config -t --token --scope", "run", text="--command"),
    "aws-vault": _row("-d --duration --region", "exec", 1),
    "chamber": _row(word="exec", dashes=True),
    "newrelic-admin": _row(word="run-program"),
    "ddtrace-run": _row(),
    "opentelemetry-instrument": _row(
        "--traces_exporter --metrics_exporter --logs_exporter --service_name --id_generator --propagators --resource_attributes"
        " --exporter_otlp_endpoint --exporter_otlp_traces_endpoint --exporter_otlp_metrics_endpoint --disabled_instrumentations"
    ),
    "watchmedo": _row(
        "-d --directory -p --pattern --patterns -i --ignore-pattern --ignore-patterns --signal --kill-after --interval --timeout --debounce-interval",
        "auto-restart",
    ),
    "watchfiles": _row("--filter --target-type --args --ignore-paths --sigint-timeout --sigkill-timeout --grace-period --verbosity", quoted=True),
    "hupper": _row("-w -x --shutdown-interval", module=True),
    "coverage": _row("--source --rcfile --include --omit --data-file --context --concurrency", "run", module=True),
    "memray": _row("-o --output", "run", module=True),
    "debugpy": _row("--listen --connect --log-to --configure-subProcess --pid", module=True),
    "wait-for-it.sh": _WAIT,
    "wait-for-it": _WAIT,
    "wait_for_it.sh": _WAIT,
    "wait-for": _WAIT,
    "wait-for.sh": _WAIT,
    "dockerize": _row("-wait -timeout -wait-retry-interval -template -stdout -stderr -poll-interval -delims -env -env-section -wait-http-header"),
    "manage.py": _MANAGE,
    "django-admin": _MANAGE,
}
"""The wrappers that are known, by the name of their program."""

_MODULES = {
    "watchdog.watchmedo": "watchmedo",
    "watchmedo": "watchmedo",
    "newrelic.admin": "newrelic-admin",
    "django": "django-admin",
    **{name: name for name in ("debugpy", "coverage", "hupper", "memray", "poetry", "pipenv", "pdm", "uv", "dotenv", "watchfiles")},
}
_CONTAINERS = frozenset("docker docker-compose podman podman-compose nerdctl kubectl oc".split())
_NAMED_IN_CONTAINERS = frozenset("--name -h --hostname --network --net --network-alias -l --label -u --user -n --namespace -c --container".split())
_SHELLS = frozenset("sh bash dash ash zsh ksh".split())
_SHELL_VALUES = frozenset("-o +o -O +O --rcfile --init-file".split())
_OTHERS = frozenset(
    "echo printf grep egrep fgrep pkill pgrep ps kill killall which whereis command type hash cd rm mkdir ls cat chown chmod touch cp mv ln tail"
    " head test [ [[ export unset set trap wait sleep true false useradd adduser groupadd usermod id service systemctl supervisorctl pip pip3"
    " pipx apt apt-get apk yum dnf brew npm git logger find sed awk xargs tee".split()
)
"""Programs that never start what their arguments name."""
_SOURCES = frozenset({".", "source"})
_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)=", re.ASCII)
_PYTHONS = re.compile(r"(?:python|pypy)[\d.]*|py")
_BARE = re.compile(r"[\w-]+")
_SYSTEM = re.compile(r"/(?:usr/(?:local/)?)?s?bin/")


class _Next(NamedTuple):
    """Where the next program stands; `name` where it is not the word that says it."""

    place: int
    name: str = ""
    kind: str = "celery"


def celery_command(arguments: Sequence[Argument]) -> Found | None:
    """`celery`, a script or a shell's text that this command line runs; None where none of them is known."""
    return _find(arguments, nested=False)


def _find(arguments: Sequence[Argument], nested: bool) -> Found | None:
    assignments: list[tuple[str, Argument]] = []
    script: int | None = None
    at: _Next | None = _Next(0)
    while at is not None and at.place < len(arguments):
        step = _step(arguments, at, assignments, nested)
        if isinstance(step, Found):
            return step
        if script is None and not at.name and _is_script(arguments[at.place]):
            script = at.place
        at = step
    return None if script is None else _found("script", arguments, script, assignments)


def _step(arguments: Sequence[Argument], at: _Next, assignments: list[tuple[str, Argument]], nested: bool) -> Found | _Next | None:
    """What the program at one place runs."""
    index = at.place
    name = at.name or _program(arguments[index])
    if name == "celery":
        return _found(at.kind, arguments, index, assignments)
    if _assigns(arguments[index], assignments):
        return _Next(index + 1)
    if name in _OTHERS or name.startswith("-"):
        return None
    if name in _CONTAINERS:
        return _in_container(arguments, index)
    if name in _SOURCES:
        return _found("script", arguments, index + 1, assignments) if index + 1 < len(arguments) else None
    if name in _SHELLS:
        return _of_shell(arguments, index, assignments)
    wrapper = _PYTHON if _PYTHONS.fullmatch(name) else WRAPPERS.get(name)
    if wrapper is None:
        return _behind_unknown(arguments, index)
    following = _beyond(arguments, index + 1, wrapper, assignments)
    if not isinstance(following, _Next) or following.place == len(arguments):
        return following if isinstance(following, Found) else None
    if wrapper.quoted:
        return None if nested else _in_one_word(arguments, following.place)
    if wrapper is _MANAGE:
        return following._replace(kind="manage") if _program(arguments[following.place]) == "celery" else None
    return following


def _beyond(arguments: Sequence[Argument], index: int, wrapper: Wrapper, assignments: list[tuple[str, Argument]]) -> Found | _Next | None:
    """Past a wrapper's own arguments."""
    operands, word = wrapper.operands, wrapper.word
    while index < len(arguments):
        text = arguments[index].text
        if text == "--" and not word:
            return _Next(index + 1)
        if wrapper.module and _names_module(text):
            return _module(arguments, index + 1)
        if text == "-c" and wrapper is _PYTHON:
            return None
        if text in wrapper.text:
            return _found("shell", arguments, index + 1, assignments) if index + 1 < len(arguments) else None
        if text.startswith("-"):
            index += 2 if text in wrapper.valued else 1
        elif word:
            if text != word:
                return None
            word = ""
            index += 1
        elif operands or wrapper.dashes:
            operands -= 1
            index += 1
        elif wrapper.assigns and _assigns(arguments[index], assignments):
            index += 1
        else:
            return _Next(index)
    return None


def _names_module(text: str) -> bool:
    """`-m`, also behind flags of Python's: `-um`."""
    return text == "--module" or re.fullmatch(r"-[bBdEiIOPqsSuvx]*m", text) is not None


def _module(arguments: Sequence[Argument], index: int) -> _Next | None:
    if index == len(arguments):
        return None
    text = arguments[index].text
    name = "celery" if text in {"celery", "celery.__main__"} else _MODULES.get(text)
    return _Next(index, name, "module") if name else None


def _in_one_word(arguments: Sequence[Argument], index: int) -> Found | None:
    try:
        words = shlex.split(arguments[index].text)
    except ValueError:
        return None
    found = _find([arguments[index]._replace(text=word) for word in words], nested=True)
    return found and found._replace(index=index)


def _behind_unknown(arguments: Sequence[Argument], index: int) -> _Next | None:
    """A program nobody knows runs what it is given if that is `celery`, a wrapper that is known, or follows `--`."""
    if index + 1 == len(arguments):
        return None
    following = _program(arguments[index + 1])
    if following == "celery":
        own = _BARE.fullmatch(arguments[index].text) and not arguments[index].unknown
        return _Next(index + 1, kind="wrapper" if own else "celery")
    if following in WRAPPERS or _PYTHONS.fullmatch(following):
        return _Next(index + 1)
    if arguments[index].unknown and arguments[index + 1].text == "-m":
        return _module(arguments, index + 2)
    dashes = next((at for at in range(index + 1, len(arguments)) if arguments[at].text == "--"), None)
    return None if dashes is None else _Next(dashes + 1)


def _of_shell(arguments: Sequence[Argument], index: int, assignments: list[tuple[str, Argument]]) -> Found | None:
    text = False
    index += 1
    while index < len(arguments):
        word = arguments[index].text
        if word in _SHELL_VALUES:
            index += 1
        elif word[:1] in {"-", "+"} and len(word) > 1:
            text = text or re.fullmatch(r"-[a-zA-Z]*c[a-zA-Z]*", word) is not None
        elif text or _program(arguments[index]) != "celery":
            return _found("shell" if text else "script", arguments, index, assignments)
        else:
            return None
        index += 1
    return None


def _in_container(arguments: Sequence[Argument], index: int) -> Found | _Next | None:
    """The image is not known from its name: the first word `celery`, or shell with a text, that is not a name."""
    for at in range(index + 1, len(arguments)):
        if arguments[at - 1].text in _NAMED_IN_CONTAINERS:
            continue
        program = _program(arguments[at])
        if program == "celery":
            service = at + 1 < len(arguments) and _program(arguments[at + 1]) == "celery"
            before = arguments[at - 1].text
            return _Next(at + service, kind="module" if before == "-m" else "manage" if _program(arguments[at - 1]) == "manage.py" else "celery")
        if program in _SHELLS:
            return _Next(at)
    return None


def _program(argument: Argument) -> str:
    """The name of a program, without its folder."""
    if argument.unknown and argument.origin.variable == "CELERY_BIN":
        return "celery"
    return argument.text.rpartition("/")[2]


def _is_script(argument: Argument) -> bool:
    text = argument.text
    if argument.unknown or not text or text.startswith("-") or _ASSIGNMENT.match(text) or _SYSTEM.match(text):
        return False
    known = _program(argument)
    if known in WRAPPERS or known in _OTHERS or known in _SHELLS or known in _CONTAINERS or _PYTHONS.fullmatch(known):
        return False
    return "/" in text or text.endswith((".sh", ".bash", ".py"))


def _assigns(argument: Argument, assignments: list[tuple[str, Argument]]) -> bool:
    match = _ASSIGNMENT.match(argument.text)
    if match:
        assignments.append((match[1], argument._replace(text=argument.text[match.end() :])))
    return match is not None


def _found(kind: str, arguments: Sequence[Argument], index: int, assignments: Sequence[tuple[str, Argument]]) -> Found:
    return Found(kind, tuple(arguments[index + 1 :]), arguments[index], tuple(assignments), index)
