from __future__ import annotations

import subprocess

import pytest

from flake8_deadline import cli
from flake8_deadline.codemods.mend import Refused

LOOP = """\
from celery import shared_task


@shared_task(soft_time_limit=60, time_limit=90)
def sync(rows):
    for row in rows:
        try:
            row.save()
        except Exception:
            row.fail()
"""
FIXED = LOOP.replace(
    "from celery import shared_task\n", "from celery import shared_task\nfrom celery.exceptions import SoftTimeLimitExceeded\n"
).replace("        except Exception:", "        except SoftTimeLimitExceeded:\n            raise\n        except Exception:")
NEST = LOOP.replace(
    "            row.save()\n", "            try:\n                row.save()\n            except Exception:\n                row.fail()\n"
).replace("            row.fail()\n", "            row.broken = True\n")
CALLER = LOOP.replace("shared_task\n\n", "shared_task\n\nfrom saving import save\n\n", 1).replace("row.save()", "save(row)")
HELPER = "def save(row):\n    try:\n        row.save()\n    except Exception:\n        row.failed = True\n"
NOT_ONE_TO_FIX = LOOP.replace("row.fail()", "raise")


@pytest.fixture
def run(capfd, monkeypatch):
    monkeypatch.delenv("PRE_COMMIT", raising=False)

    def command(*arguments):
        code = cli.main(["fix", "--deadline-cache-dir", "none", *arguments])
        captured = capfd.readouterr()
        return code, captured.out, captured.err

    return command


def commit(root):
    for command in (["init", "-q"], ["add", "-A"], ["-c", "user.name=x", "-c", "user.email=x@example.org", "commit", "-qm", "x"]):
        subprocess.run(["git", *command], cwd=root, check=True)


def test_the_diff_is_shown_and_nothing_is_written(project, run):
    root = project({"shop/tasks.py": LOOP})
    code, out, err = run()
    assert code == 1
    assert out.startswith("--- a/shop/tasks.py\n+++ b/shop/tasks.py\n@@ ")
    assert "\n+        except SoftTimeLimitExceeded:\n+            raise\n" in out
    assert err == "Would fix 1 finding in 1 file (1 import added).\nApply with --write.\n"
    assert (root / "shop/tasks.py").read_text() == LOOP


def test_the_diff_is_what_git_takes(project, run, monkeypatch):
    root = project({"sub/shop/tasks.py": LOOP})
    commit(root)
    monkeypatch.chdir(root / "sub")
    diff = run()[1]
    assert "--- a/shop/tasks.py\n" in diff
    subprocess.run(["git", "apply", "-"], input=diff, text=True, check=True, cwd=root / "sub")
    assert (root / "sub/shop/tasks.py").read_text() == FIXED


def test_write_applies_the_fixes_and_a_second_run_changes_nothing(project, run):
    root = project({"shop/tasks.py": LOOP})
    commit(root)
    assert run("--write") == (0, "", "Fixed 1 finding in 1 file (1 import added).\n")
    assert (root / "shop/tasks.py").read_text() == FIXED
    assert run("--write") == (0, "", "Nothing to fix.\n")
    assert run() == (0, "", "Nothing to fix.\n")


def test_uncommitted_edits_are_not_mixed_with_fixes_unless_allowed(project, run):
    root = project({"a.py": LOOP})
    commit(root)
    (root / "a.py").write_text(LOOP + "\n")
    code, out, err = run("--write")
    assert (code, out) == (2, "")
    assert err == "flake8-deadline: 1 file to change has uncommitted edits: a.py\nCommit or stash them, or pass --allow-dirty.\n"
    assert (root / "a.py").read_text() == LOOP + "\n"
    assert run("--write", "--allow-dirty")[0] == 0
    assert (root / "a.py").read_text() == FIXED + "\n"


def test_pre_commit_keeps_uncommitted_edits_safe_itself(project, run, monkeypatch):
    project({"a.py": LOOP})
    monkeypatch.setenv("PRE_COMMIT", "1")
    assert run("--write", "a.py")[0] == 0


def test_only_what_check_would_report_is_fixed(project, run):
    silenced = LOOP.replace("Exception:", "Exception:  # noqa: LIM101")
    root = project({"a.py": silenced, "b.py": LOOP, "c.py": LOOP, ".flake8": "[flake8]\nexclude = c.py"})
    assert run("--write", "--allow-dirty", "--select", "LIM2,LIM101")[0] == 0
    assert (root / "b.py").read_text() == FIXED
    assert "raise" not in (root / "a.py").read_text() + (root / "c.py").read_text()
    assert run("--write", "--allow-dirty", "--select", "LIM2")[2] == "Nothing to fix.\n"


def test_a_rule_that_is_off_is_fixed_where_it_is_asked_for(project, run):
    unreached = LOOP.replace("def sync", "def ping(): ...\n\n\ndef sync")
    root = project({"a.py": unreached})
    assert run("--write", "--allow-dirty")[2] == "Nothing to fix.\n"
    assert run("--write", "--allow-dirty", "--enable", "LIM109")[0] == 0
    assert "except SoftTimeLimitExceeded" in (root / "a.py").read_text()


def test_what_cannot_be_fixed_is_said_with_the_reason(project, run):
    project({"a.py": LOOP + "\n\nSoftTimeLimitExceeded = None\n", "b.py": LOOP})
    code, out, err = run("--write", "--allow-dirty")
    assert (code, out) == (1, "")
    lines = err.splitlines()
    assert lines[:2] == ["Fixed 1 finding in 1 file (1 import added).", "Not fixed: 1"]
    assert lines[2].startswith("  a.py:9: LIM101 the name SoftTimeLimitExceeded is bound elsewhere")


def test_what_cannot_be_written_is_said_and_not_counted_as_fixed(project, run, monkeypatch):
    project({"a.py": LOOP})
    monkeypatch.setattr("flake8_deadline.cli.writing.apply", lambda root, changed: [Refused("a.py", 9, "LIM101", "the file is read-only")])
    assert run("--write", "--allow-dirty") == (1, "", "Not fixed: 1\n  a.py:9: LIM101 the file is read-only\n")


def test_findings_without_a_safe_fix_and_unreadable_files_are_not_forgotten(project, run):
    project({"a.py": LOOP.replace("(soft_time_limit=60, time_limit=90)", ""), "old.py": "print 'x'\n"})
    code, _, err = run()
    assert code == 1
    assert err.startswith("error: old.py:1: ")
    assert "\n1 task without a limit: --soft SECONDS --hard SECONDS --reason TEXT.\n" in err


def test_a_module_that_imports_celery_for_the_first_time_is_pointed_out(project, run):
    helper = "def save(row):\n    try:\n        row.save()\n    except Exception:\n        row.failed = True\n"
    loop = LOOP.partition("        try:")[0].replace("shared_task\n\n", "shared_task\n\nfrom one import save\n", 1) + "        save(row)\n"
    project({"one.py": helper, "tasks.py": loop})
    assert run()[2].startswith("Would fix 1 finding in 1 file (1 import added, 1 file imports celery for the first time).\n")
    project({"two.py": helper, "tasks.py": loop.replace("save\n", "save\nimport two\n", 1) + "        two.save(row)\n"})
    assert run()[2].startswith("Would fix 2 findings in 2 files (2 imports added, 2 files import celery for the first time).\n")


def test_a_fix_without_a_new_import_says_nothing_of_imports(project, run):
    project({"a.py": LOOP.replace("shared_task\n\n", "shared_task\nfrom celery.exceptions import SoftTimeLimitExceeded\n\n", 1)})
    assert run()[2].startswith("Would fix 1 finding in 1 file.\n")


def test_a_diff_has_colours_where_they_are_asked_for(project, run):
    project({"a.py": LOOP})
    out = run("--color", "always")[1]
    assert "\033[32m+            raise\033[m\n" in out
    assert "\033[36m@@" in out
    assert "\n             row.save()\n" in out


def test_a_path_that_does_not_exist_is_exit_code_2(project, run):
    root = project({"a.py": LOOP})
    assert run("nowhere.py") == (2, "", "flake8-deadline: nowhere.py: no such file or directory\n")
    code, out, err = run("--write", "--allow-dirty", "nowhere.py", "a.py")
    assert (code, out) == (2, "")
    assert "Fixed 1 finding" in err
    assert (root / "a.py").read_text() == FIXED


def test_a_file_elsewhere_is_named_from_its_root_in_the_diff(project, run, tmp_path):
    project({"a.py": ""})
    (tmp_path / "other").mkdir()
    (tmp_path / "other/b.py").write_text(LOOP)
    assert run(str(tmp_path / "other"))[1].startswith("--- a/b.py\n+++ b/b.py\n")


def test_limits_that_are_asked_for_and_ignored_are_told_of(project, run):
    project(
        {
            "a.py": FIXED.replace("(soft_time_limit=60, time_limit=90)", ""),
            ".flake8": "[flake8]\nextend-select = LIM\nextend-ignore = LIM301\n",
        }
    )
    limits = ["--soft", "60", "--hard", "90", "--reason", "20 rows"]
    assert run() == (0, "", "Nothing to fix.\n")
    assert run(*limits) == (0, "", "flake8-deadline: no limit is written, as select and ignore leave out LIM301\nNothing to fix.\n")
    assert "no limit" not in run(*limits, "--enable", "LIM307")[2]
    code, out, err = run(*limits, "--extend-ignore", "")
    assert (code, "+@shared_task(soft_time_limit=60, time_limit=90)  # 20 rows\n" in out) == (1, True)
    assert "no limit" not in err


@pytest.mark.parametrize("arguments", [[], ["a.py"], ["--unsafe"]])
def test_nothing_is_written_where_the_configuration_cannot_be_read(project, run, arguments):
    root = project({"a.py": LOOP, "setup.cfg": "[flake8\nexclude = a.py\n"})
    code, out, err = run(*arguments)
    assert (code, out[:10]) == (2, "--- a/a.py")
    code, out, err = run("--write", "--allow-dirty", *arguments)
    assert (code, out) == (2, "")
    assert "cannot be read as configuration" in err.splitlines()[0]
    assert err.splitlines()[1].startswith("flake8-deadline: nothing is written, as the configuration may exclude what would be; ")
    assert (root / "a.py").read_text() == LOOP
    assert run("--write", "--allow-dirty", "--isolated", *arguments)[0] == 0
    assert (root / "a.py").read_text() == FIXED


def test_code_that_does_no_harm_is_left_alone(project, run):
    project({"a.py": NOT_ONE_TO_FIX})
    assert run() == (0, "", "Nothing to fix.\n")


def test_where_no_task_is_known_the_size_of_the_project_is_said(project, run):
    root = project({"a.py": "x = 1\n"})
    assert run() == (0, "", "Nothing to fix in a project of 1 file and 0 tasks.\n")
    (root / "a.py").unlink()
    assert run("--write") == (0, "", "Nothing to fix in a project of 0 files and 0 tasks.\n")


def test_an_outer_clause_that_takes_the_deadline_next_is_mended_by_the_same_run(project, run):
    root = project({"a.py": NEST})
    code, _, err = run()
    assert code == 1
    assert err.startswith("Would fix 2 findings in 1 file (1 import added), 1 of them revealed by the fix of another.\n")
    assert run("--write", "--allow-dirty")[0] == 0
    text = (root / "a.py").read_text()
    assert text.count("import SoftTimeLimitExceeded\n") == 1
    assert text.count("except SoftTimeLimitExceeded:\n") == 2
    assert run() == (0, "", "Nothing to fix.\n")


def test_a_caller_s_clause_in_another_file_is_mended_by_the_same_run(project, run):
    root = project({"saving.py": HELPER, "tasks.py": CALLER})
    assert run("--write", "--allow-dirty")[0] == 0
    for name in ("saving.py", "tasks.py"):
        assert (root / name).read_text().count("except SoftTimeLimitExceeded:\n") == 1
    assert run() == (0, "", "Nothing to fix.\n")


def test_what_is_revealed_and_was_not_asked_for_is_told_and_left(project, run):
    root = project({"saving.py": HELPER, "tasks.py": CALLER})
    code, out, err = run("saving.py")
    assert (code, "tasks.py" in out) == (1, False)
    assert err.splitlines()[1:] == ["1 finding revealed by the fixes and left:", "  tasks.py:11: LIM101 not asked for", "Apply with --write."]
    silenced = NEST.replace("        except Exception:\n            row.broken", "        except Exception:  # noqa: LIM101\n            row.broken")
    (root / "saving.py").write_text(silenced)
    assert run("--write", "--allow-dirty", "saving.py") == (
        0,
        "",
        "Fixed 1 finding in 1 file (1 import added).\n1 finding revealed by the fixes and left:\n  saving.py:15: LIM101 not asked for\n",
    )


def test_what_is_left_is_told_by_the_line_where_it_stands_after_writing(project, run):
    finally_too = LOOP.replace("sync", "later").partition("\n\n\n")[2] + "        finally:\n            continue\n"
    root = project({"a.py": LOOP + "\n\n" + finally_too})
    assert "  a.py:18: LIM101 continue in the finally" in run()[2]
    assert "  a.py:21: LIM101 continue in the finally" in run("--write", "--allow-dirty")[2]
    assert (root / "a.py").read_text().splitlines()[20] == "        except Exception:"


SWEEP = """\
import logging

from celery import shared_task
from celery.exceptions import SoftTimeLimitExceeded
from shop.models import Order
from tenacity import retry

logger = logging.getLogger(__name__)


@retry
def bill(order):
    order.bill()


@shared_task
def bill_all():
    for order in Order.objects.filter(open=True).iterator():
        bill(order)
"""


def test_unsafe_fixes_are_made_only_when_asked_for(project, run):
    root = project({"tasks.py": SWEEP})
    code, out, err = run("--write", "--allow-dirty")
    assert (code, out) == (0, "")
    assert err == (
        "Nothing to fix.\n2 findings with an unsafe fix: --unsafe.\n1 task without a limit: --soft SECONDS --hard SECONDS --reason TEXT.\n"
    )
    code, _, err = run("--write", "--allow-dirty", "--unsafe")
    assert (code, err.splitlines()[0]) == (0, "Fixed 2 findings in 1 file (1 import added).")
    text = (root / "tasks.py").read_text()
    assert "@retry(retry=retry_if_not_exception_type(SoftTimeLimitExceeded))\n" in text
    assert 'logger.warning("bill_all: %d processed, %d failed", processed, failed)\n' in text


def test_limits_are_written_with_their_reason_and_nothing_else_unsafe(project, run):
    root = project({"tasks.py": SWEEP})
    code, _, err = run("--write", "--allow-dirty", "--soft", "600", "--hard", "900", "--reason", " 95 orders,  6 s each ")
    assert (code, err) == (0, "Fixed 1 finding in 1 file.\n2 findings with an unsafe fix: --unsafe.\n")
    limited = "@shared_task(soft_time_limit=600, time_limit=900)  # 95 orders, 6 s each\n"
    assert (root / "tasks.py").read_text() == SWEEP.replace("@shared_task\n", limited)


def test_what_is_done_on_a_deadline_goes_into_each_new_clause(project, run):
    root = project({"tasks.py": LOOP})
    code, _, err = run("--write", "--allow-dirty", "--on-deadline", 'print(f"timed out after {index} of {len({items})} rows")')
    assert (code, err) == (0, "Fixed 1 finding in 1 file (1 import added).\n")
    clause = '        except SoftTimeLimitExceeded:\n            print(f"timed out after {index} of {len(rows)} rows")\n            raise\n'
    assert clause in (root / "tasks.py").read_text()
    assert "    for index, row in enumerate(rows):\n" in (root / "tasks.py").read_text()


def test_a_finding_that_no_fix_mends_is_counted(project, run):
    project(
        {
            "tasks.py": LOOP.replace("except Exception:", "except (ValueError, SoftTimeLimitExceeded):").replace(
                "import shared_task", "import shared_task\nfrom celery.exceptions import SoftTimeLimitExceeded"
            )
        }
    )
    code, _, err = run()
    assert (code, err) == (0, "Nothing to fix.\n1 finding without a fix: see flake8-deadline check.\n")


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--on-deadline", "job.fail("], "--on-deadline: it is not Python: "),
        (["--soft", "600"], "--soft, --hard and --reason go together: a limit is a decision that says why"),
        (["--soft", "6m", "--hard", "900", "--reason", "x"], "--soft: 6m: not a whole number of seconds above 0"),
        (["--soft", "6", "--hard", "0", "--reason", "x"], "--hard: 0: not a whole number of seconds above 0"),
        (["--soft", "900", "--hard", "900", "--reason", "x"], "--hard must be above --soft: between the two the task cleans up"),
        (["--soft", "600", "--hard", "900", "--reason", " "], "--reason: one line that says why"),
        (["--soft", "600", "--hard", "900", "--reason", "a\nb"], "--reason: one line that says why"),
    ],
)
def test_a_wish_that_cannot_be_granted_is_a_bad_command_line(project, run, arguments, reason):
    project({"tasks.py": LOOP})
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert err.startswith(f"flake8-deadline: {reason}")
