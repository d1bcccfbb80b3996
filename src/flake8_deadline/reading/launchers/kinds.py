"""Which reader a file may be for, by its path alone, whether its bytes are worth reading, and how much of a file is read at all.

What a file of a kind says is the readers' business. They are imported when a file of their kind comes up, so that a project without one pays nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib import import_module

from flake8_deadline.launches import Launches

LARGEST = 1 << 20
"""Bytes. What starts workers is written by hand; a file above this is data."""

_READERS = {
    "dockerfile": ("launchers.dockerfile", "read"),
    "compose": ("launchers.compose", "read"),
    "kubernetes": ("launchers.kubernetes", "read"),
    "values": ("launchers.kubernetes", "values"),
    "workflow": ("launchers.workflow", "read"),
    "manifest": ("launchers.manifest", "read"),
    "procfile": ("launchers.procfile", "read"),
    "supervisor": ("launchers.supervisor", "read"),
    "systemd": ("launchers.systemd", "read"),
    "make": ("launchers.makefile", "read"),
    "just": ("launchers.makefile", "read_just"),
    "env": ("launchers.dotenv", "read"),
    "json": ("launchers.json_tasks", "read"),
    "toml": ("launchers.toml_tasks", "read"),
    "shell": ("shell", "read"),
}

_NEVER = (".py", ".pyi", ".md", ".rst", ".txt", ".html", ".js", ".ts", ".css", ".ps1", ".lock", ".dockerignore")
_TEMPLATE = re.compile(r"\.(?:j2|jinja2?|tpl|tmpl|gotmpl)$")

# The first that matches the path, in lower case and without the ending of a template, decides.
_PATHS = tuple(
    (kind, re.compile(rf"(?:.*/)?(?:{pattern})"))
    for kind, pattern in (
        ("dockerfile", r"(?:docker|container)file[^/]*|[^/]*\.(?:docker|container)file"),
        ("compose", r"(?:[^/]*docker-)?compose[^/]*\.ya?ml"),
        ("workflow", r"\.github/workflows/[^/]+\.ya?ml|\.gitlab-ci[^/]*\.ya?ml|\.circleci/config\.ya?ml"),
        ("manifest", r"(?:manifest[^/]*|render|app_desc)\.ya?ml"),
        ("values", r"values[^/]*\.ya?ml"),
        ("procfile", r"procfile[^/]*"),
        ("systemd", r"[^/]+\.service"),
        ("supervisor", r"[^/]*(?:supervisor|celery|worker).*\.(?:conf|ini)|[^/]*supervisor[^/]*/(?:.*/)?[^/.]+"),
        ("just", r"\.?justfile|[^/]+\.just"),
        ("make", r"(?:gnu)?makefile(?:\.[^/]+)?|[^/]+\.mk"),
        ("json", r"package\.json|launch\.json|tasks\.json|[^/]+\.tpl\.json|[^/]*task[-_]?def[^/]*\.json"),
        ("toml", r"pyproject\.toml|fly(?:\.[^/]+)?\.toml"),
        ("kubernetes", r"[^/]+\.ya?ml"),
        ("env", r"\.env[^/]*|env(?:\.[^/]+)?|[^/]+\.env(?:\.[^/]+)?|\.envs/.*|(?:default|conf\.d|sysconfig)/celery[^/]*"),
        ("shell", r"[^/]+\.(?:sh|bash)|(?:bin|scripts|docker|init\.d)/(?:.*/)?[^/.]+|(?:[^/.]*entrypoint|start|run)[^/.]*"),
    )
)

_CELERY = re.compile(rb"celery", re.IGNORECASE)
_STARTS = {
    "dockerfile": re.compile(rb"^[ \t]*(?:ENTRYPOINT|CMD|ENV|COPY|ADD)\b", re.IGNORECASE | re.MULTILINE),
    "compose": re.compile(rb"command|entrypoint|build|image"),
    "kubernetes": re.compile(rb"\b(?:command|args)\b"),
    "procfile": re.compile(rb":"),
    "supervisor": re.compile(rb"command"),
    "systemd": re.compile(rb"ExecStart"),
    "shell": re.compile(rb"exec|worker"),
    "env": re.compile(rb""),
    "values": re.compile(rb""),
}


def kind_of(path: str) -> str | None:
    """The kind of file that this may be, or None. A path in the repository, with slashes."""
    path = path.lower()
    plain = _TEMPLATE.sub("", path)
    if plain.endswith(_NEVER):
        return None
    if path.endswith(".json.tpl"):
        return "json"
    found = next((kind for kind, pattern in _PATHS if pattern.fullmatch(plain)), None)
    return "kubernetes" if found is None and path.endswith(".tpl") else found


def worth_reading(kind: str, text: bytes) -> bool:
    """Whether a file may have a say in how a worker starts, by its bytes alone: it names Celery, or starts what may be a script that does."""
    starts = _STARTS.get(kind)
    return bool(_CELERY.search(text)) or (starts is not None and bool(starts.search(text)))


def read(kind: str, text: bytes) -> Launches:
    """What a file of this kind says."""
    module, name = _READERS[kind]
    reader: Callable[[bytes], Launches] = getattr(import_module(f"flake8_deadline.reading.{module}"), name)
    return reader(text)


def decoded(kind: str, text: bytes, reader: Callable[[str], Launches]) -> Launches:
    """What the reader makes of the text, without its byte order mark and with plain newlines; of too large a file only that it is."""
    if len(text) > LARGEST:
        return Launches(kind, faults=((1, f"larger than {LARGEST} bytes"),))
    return reader(text.decode("utf-8-sig", "replace").replace("\r\n", "\n"))
