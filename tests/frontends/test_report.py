from __future__ import annotations

import json
import os
import re
from pathlib import Path

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from flake8_deadline.check import FileError, Statistics
from flake8_deadline.report import Wish, render
from flake8_deadline.report.excerpt import excerpt, source_lines
from flake8_deadline.report.style import Style, columns, cut, printable
from flake8_deadline.rule import Finding, Link, Reraise
from flake8_deadline.selection import Selection, Shown

DOCS = Path(__file__).parents[2] / "docs"
SCHEMA = json.loads((DOCS / "findings.schema.json").read_text())
NONE = Statistics()


def finding(path="shop/tasks.py", line=4, column=9, code="LIM101", chain=(), safety="safe", message="deadline swallowed; re-raise it first"):
    fix = Reraise(line, "celery.exceptions", "SoftTimeLimitExceeded", safety) if safety else None
    return Finding(path, line, column, code, "deadline-swallowed-in-loop", message, tuple(chain), fix)


def selection(*findings, root=None, errors=(), statistics=NONE):
    return Selection(root or os.getcwd(), tuple(Shown(f"./{one.path}", one) for one in findings), tuple(errors), statistics)


def text(chosen, style=Style(), *, statistics=False):
    return render("text", chosen, Wish(style, statistics))


SOURCE = """\
def sync(rows):
    for row in rows:
        try: push(row)
        except Exception:  # a comment
            log(row)
    done()

"""


SHOWN = """\
LIM101 [*] deadline swallowed; re-raise it first
  --> shop/tasks.py:4:9
  |
1 | def sync(rows):
2 |     for row in rows:
3 |         try: push(row)
4 |         except Exception:  # a comment
  |         ^^^^^^^^^^^^^^^^^
5 |             log(row)
6 |     done()
  = shop/tasks.py:1          task shop.tasks.sync
  = shop/deep/helper.py:112  handler
  = help: flake8-deadline fix shop/tasks.py

Found 1 finding in 1 file; 1 fixable [*].
"""


def test_text_shows_the_place_the_chain_the_way_out_and_a_summary(project):
    project({"shop/tasks.py": SOURCE})
    chain = [Link("shop/tasks.py", 1, "task shop.tasks.sync"), Link("shop/deep/helper.py", 112, "handler")]
    assert text(selection(finding(chain=chain))) == SHOWN


def test_an_excerpt_stops_at_blank_lines_and_its_numbers_are_aligned(project):
    project({"a.py": "x\n" * 7 + "\ny\nz\nw\n\n"})
    assert excerpt(source_lines("a.py"), 10, 1, Style()) == ["   |", " 9 | y", "10 | z", "   | ^", "11 | w"]


def test_a_finding_in_the_first_and_last_line_has_an_excerpt(project):
    project({"a.py": "x"})
    assert excerpt(source_lines("a.py"), 1, 1, Style()) == ["  |", "1 | x", "  | ^"]


@pytest.mark.parametrize("line", [0, 3, 99])
def test_a_line_that_is_not_there_has_no_excerpt(project, line):
    project({"a.py": "x\n"})
    assert excerpt(source_lines("a.py"), line, 1, Style()) == []
    assert excerpt(source_lines("gone.py"), line, 1, Style()) == []


def test_a_finding_without_an_excerpt_is_still_said(project):
    project({"a.py": ""})
    said = text(selection(finding("gone.py", safety=None)))
    assert said.startswith("LIM101 deadline swallowed; re-raise it first\n  --> gone.py:4:9\n  = help: flake8-deadline explain LIM101\n\n")


@pytest.mark.parametrize(
    ("source", "column", "shown"),
    [
        (b"\texcept E:\n", 2, ["1 |     except E:", "  |     ^^^^^^^^^"]),
        ("    日本(x)\n".encode(), 5, ["1 |     日本(x)", "  |     ^^^^^^^"]),
        ("e\u0301    x()\n".encode(), 7, ["1 | e\u0301    x()", "  |      ^^^"]),
        (b"\x1b[31m\xff  x()\n", 9, ["1 | \ufffd[31mÿ  x()", "  |         ^^^"]),
        (b"# coding: nonsense\n", 1, ["1 | # coding: nonsense", "  | ^^^^^^^^^^^^^^^^^^"]),
        (b"# coding: latin-1 \xe9\n", 1, ["1 | # coding: latin-1 é", "  | ^^^^^^^^^^^^^^^^^^^"]),
        (b"a\r\nb\rc\r\n", 1, ["1 | a", "  | ^", "2 | b", "3 | c"]),
        (b"a\x0c\x1c\xe2\x80\xa8b\n", 1, ["1 | a\ufffd\ufffd\ufffdb", "  | ^^^^^"]),
    ],
)
def test_odd_sources_are_shown_in_columns_that_fit(project, source, column, shown):
    project({"a.py": source})
    assert excerpt(source_lines("a.py"), 1, column, Style())[1:] == shown


def test_long_lines_are_cut_to_the_terminal(project):
    project({"a.py": "    except (" + "Error, " * 40 + "Exception):\n"})
    lines = excerpt(source_lines("a.py"), 1, 5, Style(width=60))
    assert all(len(line) <= 60 for line in lines)
    assert lines[1].endswith("...")
    assert lines[2].endswith("^^^")
    assert len(excerpt(source_lines("a.py"), 1, 200, Style(width=60))[2]) <= 60


@given(st.text(max_size=60), st.integers(5, 40))
def test_cut_text_fits(source, width):
    line = printable(source)
    assert line.isprintable()
    assert columns(cut(line, width)) <= width
    assert cut(line, columns(line) + 1) == line


def test_colour_marks_the_code_and_the_carets(project):
    project({"shop/tasks.py": SOURCE})
    said = text(selection(finding()), Style(colour=True))
    assert "\033[1mLIM101\033[m" in said
    assert "\033[31m^^^^^^^^^^^^^^^^^\033[m" in said
    assert re.sub("\033\\[[0-9]*m", "", said) == text(selection(finding()))


def test_the_summary_counts_the_ways_out(project):
    project({"shop/tasks.py": SOURCE})
    three = (finding(), finding(line=5, safety="unsafe"), finding("b.py", safety=None), finding("b.py", line=6, safety=None))
    said = text(selection(*three, statistics=Statistics(suppressed=2), errors=[("./c.py", FileError("c.py", 3, "no"))]))
    assert "LIM101 [!] " in said
    assert "\n\nerror: c.py:3: no\n\n" in said
    assert said.endswith(
        "\n\nFound 4 findings in 2 files; 1 fixable [*], 1 with an unsafe fix [!], 2 by hand; 2 more silenced by noqa; 1 error in reading files.\n"
    )


def test_what_cannot_be_read_has_no_line(project):
    project({"a.py": ""})
    unreadable = [("./sub", FileError("sub", 0, "Permission denied"))]
    assert "error: sub: Permission denied\n" in text(selection(errors=unreadable))
    assert render("concise", selection(errors=unreadable), Wish(Style())) == "./sub:0:1: E902 Permission denied\n"


def test_paths_are_near_the_current_directory_and_quoted_where_a_shell_needs_it(project, tmp_path, monkeypatch):
    root = project({"a b/c.py": "x\n"})
    said = text(selection(finding("a b/c.py", 1, 1), root=str(root)))
    assert "--> a b/c.py:1:1\n" in said
    assert "help: flake8-deadline fix 'a b/c.py'\n" in said
    monkeypatch.chdir(root / "a b")
    assert "--> c.py:1:1\n" in text(selection(finding("a b/c.py", 1, 1), root=str(root)))
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert f"--> {root}/a b/c.py:1:1\n" in text(selection(finding("a b/c.py", 1, 1), root=str(root)))


def test_json_is_as_documented(project):
    project({"a.py": ""})
    chosen = selection(
        finding("b.py", 2, safety=None, chain=[Link("b.py", 1, "task b.sync")]),
        finding("a.py", 9, safety="unsafe", code="LIM301"),
        finding("a.py", 3),
        errors=[("./d.py", FileError("d.py", 0, "Permission denied")), ("./c.py", FileError("c.py", 7, "invalid syntax"))],
        statistics=Statistics(9, 8, 7, 6, 5, 4, 3),
    )
    document = json.loads(render("json", chosen, Wish(Style())))
    jsonschema.validate(document, SCHEMA)
    assert [(one["path"], one["line"], one["fix"]) for one in document["findings"]] == [("a.py", 3, "safe"), ("a.py", 9, "unsafe"), ("b.py", 2, None)]
    assert [one["path"] for one in document["errors"]] == ["c.py", "d.py"]
    assert document["findings"][2]["chain"] == [{"path": "b.py", "line": 1, "what": "task b.sync"}]
    assert document["statistics"] == dict(files=9, parsed=8, tasks=7, functions=6, calls=5, unresolved_calls=4, suppressed=3)
    assert document["root"] == os.getcwd()


def test_json_stays_json_whatever_a_file_is_called(project):
    project({"a.py": ""})
    odd = os.fsdecode(b"caf\xe9\n.py")
    chosen = selection(finding(odd, chain=[Link(odd, 1, "task")]), errors=[(odd, FileError(odd, 1, odd))])
    document = json.loads(render("json", chosen, Wish(Style())))
    jsonschema.validate(document, SCHEMA)
    assert document["findings"][0]["path"] == "caf\ufffd\ufffd.py"


def test_the_documented_example_fits_the_schema():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    example = re.search(r"```json\n(.*?)```", (DOCS / "json.md").read_text(), re.DOTALL)
    jsonschema.validate(json.loads(example[1]), SCHEMA)
