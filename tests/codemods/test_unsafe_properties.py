"""Whatever a program looks like, the unsafe fixes do what they say and nothing else, alone and all together, or are refused with a reason.

Programs are drawn from a grammar of loops, clauses, tasks, calls and classes of every shape, with a layout that is drawn as well. The judge
knows only the two texts and the fixes: it takes out of the tree what each fix puts in, and looks at the lines and at what each name means.
"""

from __future__ import annotations

import ast
import os
import re
import symtable
import sys
import warnings
from typing import TYPE_CHECKING, NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from flake8_deadline.codemods.carrying_out import carry_out
from flake8_deadline.codemods.numbering import moved
from flake8_deadline.codemods.snippet import read
from flake8_deadline.codemods.wishes import Limits, Wishes
from flake8_deadline.rule import Declare, Isolate, Pass, Reraise, Savepoint

if TYPE_CHECKING:
    from flake8_deadline.codemods.edit import Edit
    from flake8_deadline.rule import Fix

_SETTINGS = {"deadline": None, "suppress_health_check": list(HealthCheck)}
FAST = settings(max_examples=60, **_SETTINGS)
THOROUGH = settings(max_examples=int(os.environ.get("THOROUGH_EXAMPLES", "1000")), **_SETTINGS)

SIGNAL = ("celery.exceptions", "SoftTimeLimitExceeded")
LIMITS = (("soft_time_limit", "{soft}"), ("time_limit", "{hard}"))
SPARED = (("dont_autoretry_for", "({0},)"),)
OURS = {"soft_time_limit": "600", "time_limit": "900", "dont_autoretry_for": "(SoftTimeLimitExceeded,)", "max_retries": "0"}
"""What the fixes pass and set; programs have it only with other values."""
SNIPPETS = (
    None,
    "print('deadline')",
    "rows.fail()\nprint(1)",
    "print({index})",
    "print(f'{index:>3} of {len({items})}', {index} * 2)",
    "print(f'{error!r}')",
    "if rows:\n    print({error}, {items})",
    "state = 1\nprint(state)",
    "row.fail()",
)

HEADS = (
    "",
    '"""doc"""\nimport logging\nlog = logging.getLogger(__name__)\n',
    '"""doc"""; from __future__ import annotations\nimport logging as lg\n\nlog: lg.Logger = lg.getLogger("a")\n',
    "from celery.utils.log import get_task_logger\nfrom celery.exceptions import SoftTimeLimitExceeded\nlog = get_task_logger(__name__)\n",
    "import logging\nfrom django.db import transaction\nlogging.info('a')\n",
    "import logging\nfrom django.db import transaction as tx; import celery.exceptions\nlog = other = logging.getLogger()\n",
    "import structlog\nlog = structlog.getLogger()\n",
    "from shop import index, error, state, processed\nimport logging\nlog = logging.getLogger(__name__)\n",
    "import logging\nlog = logging.getLogger(__name__)\nclass SoftTimeLimitExceeded(Exception): pass\n",
    "import logging\nlog = logging.getLogger(__name__)\nenumerate = transaction = None\n",
)
SIMPLE = [
    *["row.go()", "row.save(row)", "row.go(); row", "pass"] * 4,
    "row.go(); rows.pop();",
    "text = '''a\n  b\n'''",
    "row.tell(f'''{row!r}\n a''', r'''\\\n''')",
    "total = (1 +  # one\n  2)",
    "row.go(1, \\\n  2)",
    "if (size := len(rows)) > 1: row.go(size)",
    "print(index)",
    "error(row)",
    "print(state, log)",
    "processed = 1",
    "self.retry()",
    "row.retry(failed=1)",
    "rows.delete()",
    "def inner(a, /, *, index=1): return error",
    "print([error for error in rows], lambda state: state)",
    "global state",
    "rows.update(text=total)",
]
CALLS = [
    "row.call()",
    "value = row.call(a, *b, c=1)",
    "row.call(a,  # first\n  b=[1,\n  2],  # second\n  # third\n)",
    "row.call(\n  # none\n)",
    "row.call( a , )",
    "with row.call(a, ) as b: b.call(a.call(1))",
    "value = (row\n  .call(x for x in rows))",
    "row.call('''a\n)''', '\N{SNOWMAN}')",
    "row.call(**a)",
    "row.call(a, \\\n  b)",
    "row.call(max_retries=9)",
    "row.call(a)(b)  # NAME",
    "call(lambda: (yield))",
    "row.call(a if b else c, d := 1)",
]
LOOPS = [
    "for row in rows:",
    "for row in rows:",
    "for row, (part, *more) in rows:  # each",
    "for row, in (rows), rows:",
    "for(row)in(rows):",
    "for row in[*rows]:",
    "for row in \\\n  rows.all():",
    "for row in (\n    # all\n    rows\n  ):",
    "for index, row in enumerate(rows, 1):",
    "for row in enumerate(rows):",
    "for row in (r for r in rows):",
    "for rows[0] in a.b.rows:",
    "for row in (many := rows):",
    "for row in rows.select(a, b=lambda: 1):",
    "for row in 'a' if rows else 'b':",
]
CLAUSES = ["except Exception:", "except:", "except (KeyError, Exception) as error:", "except \\\n  Exception as e:", "except Exception :  # broad"]
NARROW = ["except KeyError:", "except IndexError as index:", "except SoftTimeLimitExceeded:"]
AROUND = ["if rows:", "with row:", "with tx.atomic():", "while rows:", "with (row as a, rows as b):", "try:"]
DECORATORS = [
    "@task",
    "@app.task",
    "@task()",
    "@task(bind=True)",
    "@task(  # why\n  bind=True,\n\n  name='a'  # NAME\n  )",
    "@task(a, *b,)",
    "@task(\n)",
    "@(task)",
    "@task(**options)",
    "@task(time_limit=9)",
    "@task(x for x in y)",
    "@task if a else b",
    "@lambda f: f",
    "@ task (a\n)",
    "@task[0]",
    "@a.b(c(d,\n e),\n f)  # NAME",
    "@retry(autoretry_for=(A,))",
]
CLASSES = ["class Job(Task):", "class Job:", "class Job(\n  Task,  # base\n):", "class Job(Task, a=1): # NAME"]
BODIES = [
    '"""doc"""',
    '"""doc"""; name = (\n 1)',
    '"""doc\n  more"""\n',
    "# name\nname = 1",
    "name: str",
    "time_limit = soft_time_limit = 9",
    "time_limit, name = 9, 9",
    "@property\ndef a(self): pass",
    "pass; name = 1",
    "...",
]
TRIVIA = ["\n", "   \n", "# NAME\n", "      # remark\n", "\x0c\n", "\\\n", "\x0c", "\t# tab\n"]
ENCODINGS = {"utf-8": "größe", "latin-1": "größe", "koi8-r": "строка", "shift_jis": "ソート"}


class Line(NamedTuple):
    indent: str
    text: str


def lines_of(indent: str, text: str) -> list[Line]:
    """A statement as logical lines; what stands in brackets or strings stays as it is."""
    parts: list[str] = []
    for part in text.split("\n"):
        if parts and (parts[-1].startswith("#") or (re.match(r"@|def |name", part) and not parts[-1].startswith("'''"))):
            parts.append(part)
        elif parts:
            parts[-1] += "\n" + part
        else:
            parts.append(part)
    return [Line(indent, part) for part in parts]


@st.composite
def blocks(draw: st.DrawFn, indent: str, depth: int, inside: frozenset[str]) -> list[Line]:
    kinds = ["simple", "simple", "call"] if depth <= 0 else ["simple", "call", "loop", "loop", "loop", "try", "try", "around", "leave"]
    found: list[Line] = []
    for kind in draw(st.lists(st.sampled_from(kinds), min_size=1, max_size=3)):
        found += draw(_KINDS[kind](indent, depth, inside))
    return found


@st.composite
def suites(draw: st.DrawFn, head: str, indent: str, depth: int, inside: frozenset[str]) -> list[Line]:
    if draw(st.integers(0, 7)) == 0 and "#" not in head:
        return [Line(indent, f"{head} {draw(st.sampled_from(['row.go()', 'row.go(); row', 'pass', 'row.call(a)']))}")]
    width = draw(st.sampled_from(["    ", "    ", "    ", "  ", "\t"])) if not indent else "    "
    return [Line(indent, head), *draw(blocks(indent + width, depth - 1, inside))]


@st.composite
def simple(draw: st.DrawFn, indent: str, depth: int, inside: frozenset[str]) -> list[Line]:
    return [Line(indent, draw(st.sampled_from(SIMPLE)))]


@st.composite
def called(draw: st.DrawFn, indent: str, depth: int, inside: frozenset[str]) -> list[Line]:
    return [Line(indent, draw(st.sampled_from(CALLS)))]


@st.composite
def leaves(draw: st.DrawFn, indent: str, depth: int, inside: frozenset[str]) -> list[Line]:
    allowed = {"return": "function", "yield row": "function", "break": "loop", "continue": "loop", "await row": "coroutine", "raise": ""}
    return [Line(indent, draw(st.sampled_from([text for text, needed in allowed.items() if needed in {"", *inside}])))]


@st.composite
def loops(draw: st.DrawFn, indent: str, depth: int, inside: frozenset[str]) -> list[Line]:
    head = draw(st.sampled_from(LOOPS))
    if "coroutine" in inside and draw(st.booleans()):
        head = "async " + head
    found = draw(suites(head, indent, depth, inside | {"loop"}))
    return found + (draw(suites("else:", indent, 0, inside)) if draw(st.integers(0, 4)) == 0 else [])


@st.composite
def tries(draw: st.DrawFn, indent: str, depth: int, inside: frozenset[str]) -> list[Line]:
    found = draw(suites("try:", indent, depth, inside))
    if sys.version_info >= (3, 11) and draw(st.integers(0, 9)) == 0:
        return found + draw(suites("except* Exception:", indent, 0, inside - {"loop", "function"}))
    for head in [*draw(st.lists(st.sampled_from(NARROW), max_size=1)), draw(st.sampled_from(CLAUSES))]:
        found += draw(suites(head, indent, 0, inside))
    for head in draw(st.sampled_from([[], [], ["else:"], ["finally:"], ["else:", "finally:"]])):
        found += draw(suites(head, indent, 0, inside))
    return found


@st.composite
def arounds(draw: st.DrawFn, indent: str, depth: int, inside: frozenset[str]) -> list[Line]:
    head = draw(st.sampled_from([*AROUND, "match row:", *(["async with row as a:"] if "coroutine" in inside else [])]))
    if head == "match row:":
        return [Line(indent, head), *draw(suites("case [row, *_] if row:", indent + "    ", depth - 1, inside))]
    found = draw(suites(head, indent, depth, inside | {"loop"} if head == "while rows:" else inside))
    return found + ([Line(indent, "finally: row.go()")] if head == "try:" else [])


@st.composite
def functions(draw: st.DrawFn, indent: str, depth: int, inside: frozenset[str]) -> list[Line]:
    found = [line for text in draw(st.lists(st.sampled_from(DECORATORS), max_size=2)) for line in lines_of(indent, text)]
    is_async = draw(st.integers(0, 3)) == 0
    head = (
        "async def " * is_async
        + "def " * (not is_async)
        + draw(st.sampled_from(["f(rows):", "größe(self, rows, row=None):", "f(\n  rows,  # all\n ):"]))
    )
    return found + draw(suites(head, indent, depth, frozenset({"function", *(["coroutine"] if is_async else [])})))


@st.composite
def classes(draw: st.DrawFn, indent: str, depth: int, inside: frozenset[str]) -> list[Line]:
    found = [line for text in draw(st.lists(st.sampled_from(DECORATORS), max_size=1)) for line in lines_of(indent, text)]
    head = draw(st.sampled_from(CLASSES))
    if draw(st.integers(0, 5)) == 0 and "#" not in head:
        return [*found, Line(indent, f"{head} name = 1")]
    bodies = [line for text in draw(st.lists(st.sampled_from(BODIES), min_size=1, max_size=2)) for line in lines_of(indent + "    ", text)]
    return [*found, Line(indent, head), *bodies, *(draw(functions(indent + "    ", depth, inside)) if draw(st.booleans()) else [])]


_KINDS = {"simple": simple, "call": called, "loop": loops, "try": tries, "around": arounds, "leave": leaves}


@st.composite
def programs(draw: st.DrawFn) -> bytes:
    text = draw(st.sampled_from(HEADS))
    if draw(st.booleans()):
        text = HEADS[1]
    parts = draw(st.lists(st.sampled_from([functions, functions, functions, functions, classes, loops, tries]), min_size=1, max_size=3))
    lines = [line for part in parts for line in draw(part("", 3, frozenset()))]
    disturbed = draw(st.sets(st.integers(0, 30), max_size=4))
    for number, (indent, line) in enumerate(lines):
        if number in disturbed:
            text += draw(st.sampled_from([*TRIVIA, f"{indent}# above\n"]))
        text += indent + line + (draw(st.sampled_from(["  # NAME", "   ", "\t# noqa: BLE001"])) if number + 30 in disturbed else "") + "\n"
    return encoded(draw, text)


def encoded(draw: st.DrawFn, text: str) -> bytes:
    encoding = draw(st.sampled_from(["utf-8", "utf-8", *ENCODINGS]))
    text = ("" if encoding == "utf-8" else f"# -*- coding: {encoding} -*-\n") + text.replace("NAME", ENCODINGS[encoding])
    if draw(st.integers(0, 4)) == 0:
        text = text.replace("    ", "\t")
    for name in ("größe", "\N{SNOWMAN}"):
        text = text if encoding == "utf-8" else text.replace(name, ENCODINGS[encoding])
    source = text.encode(encoding)
    source = source.replace(b"\n", draw(st.sampled_from([b"\n", b"\n", b"\n", b"\r\n", b"\r"])))
    source = b"\xef\xbb\xbf" + source if encoding == "utf-8" and draw(st.integers(0, 4)) == 0 else source
    return source.rstrip(b"\r\n") if draw(st.integers(0, 3)) == 0 else source


def every_fix(source: bytes, kinds: frozenset[str]) -> list[Fix]:
    """A fix of these kinds at each place that could have one, and one at a place that has none."""
    fixes: list[Fix] = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, (ast.For, ast.AsyncFor)):
            fixes.append(Isolate(node.lineno, *SIGNAL))
        elif isinstance(node, ast.ExceptHandler):
            fixes += [Savepoint(node.lineno), *([Reraise(node.lineno, *SIGNAL)] if not node.type or "Exception" in ast.unparse(node.type) else [])]
        elif isinstance(node, ast.Call) and getattr(node.func, "attr", getattr(node.func, "id", "")) == "call":
            fixes.append(Pass(node.lineno, (("max_retries", "0"),), (), "call"))
        elif isinstance(node, ast.ClassDef):
            fixes += [Declare(node.lineno, LIMITS), Declare(node.lineno, SPARED, (SIGNAL,))]
        for decorator in getattr(node, "decorator_list", ()):
            fixes += [Pass(decorator.lineno, LIMITS), Pass(decorator.lineno, SPARED, (SIGNAL,))]
    odd = [Isolate(1, *SIGNAL), Savepoint(1), Pass(1, LIMITS), Declare(1, LIMITS), Reraise(1, *SIGNAL)]
    return sorted({fix for fix in [*fixes, *odd] if type(fix).__name__ in kinds}, key=lambda fix: (fix.line, repr(fix)))


def judge(source: bytes, kinds: frozenset[str], template: str | None, reason: str) -> Edit | None:
    """Fails unless the edit of a text is right, or refused with a reason. None for a text that Python does not take."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if tree_of(source) is None:
            return None
        wanted = every_fix(source, kinds)
        wishes = Wishes(True, read(template) if template else None, Limits(600, 900, reason))
        edit = carry_out(source, wanted, wishes, frozenset())
        check_told(source, wanted, edit)
        if edit.fixes:
            check_lines(source, edit)
            check_tree(source, edit)
            check_names(source, edit)
            # What libcst does not read or write back, it may once another fix has added a line.
            unread = any(refusal.reason.startswith("libcst") for refusal in edit.refusals)
            repeated = [replace(fix, line=moved(fix.line, edit.added)) for fix in (edit.fixes if unread else wanted)]
            again = carry_out(edit.source, repeated, wishes, frozenset())
            assert again.source == edit.source, "a second run changes the file again"
            assert len(again.refusals) == len(repeated)
        return edit


def tree_of(source: bytes) -> ast.Module | None:
    try:
        compile(source, "text", "exec", dont_inherit=True)
        return ast.parse(source)
    except (SyntaxError, ValueError):
        return None


def check_told(source: bytes, wanted: list[Fix], edit: Edit) -> None:
    said = [*edit.fixes, *(refusal.fix for refusal in edit.refusals)]
    assert sorted(said, key=repr) == sorted(wanted, key=repr)
    count = len(split(source))
    for refusal in edit.refusals:
        assert re.fullmatch(r"\S.*\S", refusal.reason)
        assert "pass its check" not in refusal.reason or "would not compile: name 'state' is used prior" in refusal.reason, refusal.reason
        assert all(int(line) <= count for line in re.findall(r"line (\d+)(?! of the result)", refusal.reason))
    if not edit.fixes:
        assert (edit.source, edit.added, edit.imports) == (source, (), ())


def split(source: bytes) -> list[bytes]:
    return re.findall(rb"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+", source.removeprefix(b"\xef\xbb\xbf"))


def check_lines(source: bytes, edit: Edit) -> None:
    """The old lines are there in their order, but for their indentation; where a fix puts something into a line, what was there is."""
    assert source.startswith(b"\xef\xbb\xbf") == edit.source.startswith(b"\xef\xbb\xbf")
    old, new = split(source), split(edit.source)
    kept = [line for number, line in enumerate(new, start=1) if number not in edit.added]
    assert len(kept) == len(old)
    for number, (before, after) in enumerate(zip(old, kept), start=1):
        if before.strip() != after.strip():
            assert may_change(source, edit, number), f"line {number} has changed"
            if not before.strip().startswith(after.strip()):
                assert is_subsequence(before.strip(), after.strip()), f"line {number} has lost something"
    endings = {line[len(line.rstrip(b"\r\n")) :] for line in old} - {b""}
    assert {line[len(line.rstrip(b"\r\n")) :] for line in new} - {b""} <= (endings or {b"\n"})


def may_change(source: bytes, edit: Edit, number: int) -> bool:
    """Whether a line is of a loop's head, a call or a decorator that a fix changes."""
    lines = {fix.line for fix in edit.fixes if isinstance(fix, (Pass, Isolate))}
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, (ast.For, ast.AsyncFor)) and node.lineno <= number <= node.body[0].lineno:
            return True
        if isinstance(node, ast.expr) and node.lineno in lines and node.lineno <= number <= node.end_lineno:
            return True
    return False


def is_subsequence(less: bytes, more: bytes) -> bool:
    rest = iter(more)
    return all(character in rest for character in less)


def check_tree(source: bytes, edit: Edit) -> None:
    """The tree without what the fixes say they add is the old one."""
    old, new = ast.parse(source), tree_of(edit.source)
    assert new is not None
    assert ast.get_docstring(old, clean=False) == ast.get_docstring(new, clean=False)
    added = frozenset(edit.added)
    of = {kind: [fix for fix in edit.fixes if isinstance(fix, kind)] for kind in (Reraise, Isolate, Savepoint, Pass, Declare)}
    assert without_clauses(new, added) == len(of[Reraise]) + len(of[Isolate])
    assert without_turns(new, added) == len(of[Isolate])
    guards = {node.lineno for node in ast.walk(old) for fix in of[Savepoint] if fix.line in [h.lineno for h in getattr(node, "handlers", ())]}
    assert without_blocks(new, added) == len(guards)
    assert without_keywords(old, new) == sum(len(fix.arguments) for fix in of[Pass])
    assert without_attributes(new, added) == sum(len(fix.arguments) for fix in of[Declare])
    without_indexes(old, new)
    imports = [node for node in new.body if isinstance(node, ast.ImportFrom) and node.lineno in added]
    assert sorted(node.module for node in imports) == sorted(edit.imports)
    new.body = [node for node in new.body if node not in imports]
    assert ast.dump(new) == ast.dump(old)


def without_clauses(tree: ast.Module, added: frozenset[int]) -> int:
    count = 0
    for node in ast.walk(tree):
        for handler in list(getattr(node, "handlers", ())):
            if handler.lineno in added and ast.unparse(handler.body[-1]) == "raise" and "SoftTimeLimitExceeded" in ast.unparse(handler.type):
                node.handlers.remove(handler)
                count += 1
    return count


def without_turns(tree: ast.Module, added: frozenset[int]) -> int:
    count = 0
    for node in ast.walk(tree):
        for field in ("body", "orelse", "finalbody"):
            block = getattr(node, field, None)
            for counters in list(block) if isinstance(block, list) else ():
                if isinstance(counters, ast.Assign) and counters.lineno in added and ast.unparse(counters) == "processed = failed = 0":
                    place = block.index(counters)
                    _, loop, summary = block[place : place + 3]
                    [guard] = loop.body
                    assert re.fullmatch(
                        r"try:\n.*\nexcept Exception:\n    failed \+= 1\n    (\w+)\.exception\('(\w+): row failed'\)\nelse:\n    processed \+= 1"
                        r"if failed:\n    \1\.warning\('\2: %d processed, %d failed', processed, failed\)",
                        ast.unparse(guard) + ast.unparse(summary),
                        re.DOTALL,
                    )
                    loop.body = guard.body
                    block[place : place + 3] = [loop]
                    count += 1
    return count


def without_blocks(tree: ast.Module, added: frozenset[int]) -> int:
    count = 0
    for node in ast.walk(tree):
        if isinstance(node, ast.Try) and isinstance(node.body[0], ast.With) and node.body[0].lineno in added:
            [block] = node.body
            assert ast.unparse(block.items[0]).endswith(".atomic()")
            node.body = block.body
            count += 1
    return count


def without_keywords(old: ast.Module, new: ast.Module) -> int:
    count = 0
    for node in ast.walk(new):
        if isinstance(node, ast.Call):
            ours = [keyword for keyword in node.keywords if ast.unparse(keyword.value).split(".")[-1].lstrip("(") in _endings(keyword.arg)]
            node.keywords = [keyword for keyword in node.keywords if keyword not in ours]
            count += len(ours)
    pairs = zip(*([node for node in ast.walk(tree) if hasattr(node, "decorator_list")] for tree in (old, new)))
    for before, after in pairs:
        for place, (plain, called) in enumerate(zip(before.decorator_list, after.decorator_list)):
            if not isinstance(plain, ast.Call) and isinstance(called, ast.Call) and not called.args and not called.keywords:
                after.decorator_list[place] = called.func
    return count


def _endings(keyword: str | None) -> set[str]:
    return {OURS[keyword].lstrip("("), OURS[keyword]} if keyword in OURS else set()


def without_attributes(tree: ast.Module, added: frozenset[int]) -> int:
    count = 0
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            ours = [statement for statement in node.body if statement.lineno in added and isinstance(statement, ast.Assign)]
            assert all(statement.targets[0].id in OURS for statement in ours)
            node.body = [statement for statement in node.body if statement not in ours]
            count += len(ours)
    return count


def without_indexes(old: ast.Module, new: ast.Module) -> None:
    for before, after in zip(*([node for node in ast.walk(tree) if isinstance(node, ast.For)] for tree in (old, new))):
        if ast.dump(before.iter) != ast.dump(after.iter) and ast.unparse(after.iter).startswith("enumerate("):
            assert after.target.elts[0].id == "index"
            after.iter, after.target = after.iter.args[0], after.target.elts[1]


def check_names(source: bytes, edit: Edit) -> None:
    """Each name of the old text is in each scope what it was: of its own, of a scope around, or of the module."""
    pending = [tuple(symtable.symtable(text.decode("utf-8", "replace"), "text", "exec") for text in (plain(source), plain(edit.source)))]
    while pending:
        before, after = pending.pop()
        known = {symbol.get_name(): symbol for symbol in after.get_symbols()}
        for symbol in before.get_symbols():
            if symbol.get_name() not in ("SoftTimeLimitExceeded", "transaction", "celery") and before.get_type() == "function":
                now = known[symbol.get_name()]
                for question in ("is_global", "is_local", "is_free", "is_parameter"):
                    assert getattr(now, question)() == getattr(symbol, question)(), f"{symbol.get_name()} means something else"
        pending += zip(before.get_children(), after.get_children())


def plain(source: bytes) -> bytes:
    """The text in UTF-8, without a cookie that says otherwise."""
    found = re.match(rb"# -\*- coding: (\S+)", source)
    return re.sub(rb"coding: \S+", b"", source, count=1).decode(found[1].decode()).encode() if found else source.removeprefix(b"\xef\xbb\xbf")


KINDS = ("Isolate", "Savepoint", "Pass", "Declare", "Reraise")
SOME = st.one_of(st.sampled_from([frozenset({kind}) for kind in KINDS]), st.frozensets(st.sampled_from(KINDS), min_size=2), st.just(frozenset(KINDS)))
REASONS = st.sampled_from(["95 files", "größe", ""])


@FAST
@given(source=programs(), kinds=SOME, snippet=st.sampled_from(SNIPPETS), reason=REASONS)
def test_unsafe_fixes_of_any_program_do_what_they_say(source: bytes, kinds: frozenset[str], snippet: str | None, reason: str) -> None:
    judge(source, kinds, snippet, reason)


@pytest.mark.live
@THOROUGH
@given(source=programs(), kinds=SOME, snippet=st.sampled_from(SNIPPETS), reason=REASONS)
def test_unsafe_fixes_of_very_many_programs_do_what_they_say(source: bytes, kinds: frozenset[str], snippet: str | None, reason: str) -> None:
    judge(source, kinds, snippet, reason)
