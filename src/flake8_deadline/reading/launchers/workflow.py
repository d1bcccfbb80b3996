"""Files of continuous integration (GitHub, GitLab, CircleCI): jobs, the shell texts they run and what stands in their environment.

Decides which scalars are shell texts and in what order a job runs them. What a template's hole holds, and which job runs when, is left open.
"""

from __future__ import annotations

from flake8_deadline.launches import Assignment, Launches, Step, Unit, Word
from flake8_deadline.reading import shell
from flake8_deadline.reading.launchers.marked import (
    DEPTH,
    Listing,
    Mapping,
    Marked,
    Node,
    Scalar,
    assignments,
    documents,
    entries,
    items,
    letters_of,
    pairs,
    text,
)

SHELLS = frozenset(("", "bash", "sh"))
SETTINGS = frozenset(("default", "variables", "include", "stages", "workflow", "image", "services", "cache", "pages:deploy", "spec"))
"""Top-level keys of GitLab's that name no job."""


def read(text: bytes) -> Launches:
    file = documents(text)
    units: list[Unit] = []
    for root in file.roots:
        said = entries(root)
        jobs = said.get("jobs")
        units += _stepped(file, said, jobs) if isinstance(jobs, Mapping) else _scripted(file, root)
    return Launches("workflow", tuple(units), faults=tuple(file.faults))


def _environment(said: dict[str, Node]) -> tuple[Assignment, ...]:
    return assignments(said.get("env")) + assignments(said.get("environment"))


def _stepped(file: Marked, root: dict[str, Node], jobs: Node) -> list[Unit]:
    """GitHub's and CircleCI's: a job has steps, and some of them run something."""
    around = _environment(root)
    units = []
    for key, job in pairs(jobs):
        said = entries(job)
        environment = around + _environment(said)
        steps: list[Step] = []
        for step in items(said.get("steps")):
            found = entries(step)
            run = found.get("run")
            inner = entries(run)
            if text(inner.get("shell") or found.get("shell")).partition(" ")[0].rpartition("/")[2] in SHELLS:
                steps += _steps(file, inner.get("command", run))
                environment += _environment(found) + _environment(inner)
        directory = text(entries(entries(said.get("defaults")).get("run")).get("working-directory")) or text(said.get("working_directory"))
        units.append(Unit(text(key), key.line, None, tuple(steps), environment, directory=directory))
    return [unit for unit in units if unit.command]


def _scripted(file: Marked, root: Node) -> list[Unit]:
    """GitLab's: each mapping at the top that has a script is a job, hidden ones (`.name`) aside."""
    top = entries(root)
    around, before = _variables(top), entries(top.get("default")).get("before_script", top.get("before_script"))
    units = []
    for key, job in pairs(root):
        said = entries(job)
        if "script" not in said or text(key).startswith(".") or text(key) in SETTINGS:
            continue
        steps = _steps(file, said.get("before_script", before)) + _steps(file, said["script"])
        units.append(Unit(text(key), key.line, None, tuple(steps), around + _variables(said)))
    return units


def _variables(said: dict[str, Node]) -> tuple[Assignment, ...]:
    """`NAME: value` and `NAME: {value: …}`; `$OTHER` in a value is a variable."""
    found = []
    for key, node in pairs(said.get("variables")):
        value = entries(node).get("value", node)
        if isinstance(value, Scalar):
            word = Word(value.line, shell.pieces(letters_of(value)))
            found.append(Assignment(text(key), word, key.line))
    return tuple(found)


def _steps(file: Marked, node: Node | None, depth: int = 0) -> list[Step]:
    """A shell text, or a list of them that may hold lists; `!reference [job, script]` stands for what is elsewhere."""
    if isinstance(node, Listing) and not node.tag.endswith("!reference") and depth < DEPTH:
        return [step for item in items(node) for step in _steps(file, item, depth + 1)]
    steps, faults = shell.steps(letters_of(node))
    for line, reason in faults:
        file.fault(line, reason)
    return list(steps)
