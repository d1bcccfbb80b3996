"""`fix` on files as file systems and repositories really hold them, and on many at once."""

from __future__ import annotations

import os
import stat
import subprocess

import pytest

from flake8_deadline import cli
from flake8_deadline.codemods import pool

LOOP = b"""\
from celery import shared_task


@shared_task(soft_time_limit=60, time_limit=90)
def sync(rows):
    for row in rows:
        try:
            row.save()
        except Exception:
            row.fail()
"""
FIXED = LOOP.replace(b"task\n\n\n", b"task\nfrom celery.exceptions import SoftTimeLimitExceeded\n\n\n", 1).replace(
    b"        except Exception:", b"        except SoftTimeLimitExceeded:\n            raise\n        except Exception:"
)
BOUND = LOOP + b"\n\nSoftTimeLimitExceeded = None\n"


@pytest.fixture
def run(capfdbinary, monkeypatch):
    monkeypatch.delenv("PRE_COMMIT", raising=False)

    def command(*arguments):
        code = cli.main(["fix", "--deadline-cache-dir", "none", *arguments])
        captured = capfdbinary.readouterr()
        return code, captured.out, captured.err.decode()

    return command


def git(root, *arguments, **options):
    identity = ["-c", "user.name=x", "-c", "user.email=x@example.org", "-c", "core.autocrlf=false"]
    return subprocess.run(["git", *identity, *arguments], cwd=root, check=True, capture_output=True, **options).stdout


def commit(root):
    git(root, "init", "-q")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "x")


ODD_TEXTS = {
    "LF": LOOP,
    "CRLF": LOOP.replace(b"\n", b"\r\n"),
    "mixed": LOOP.replace(b"\n", b"\r\n", 4),
    "CR": LOOP.replace(b"\n", b"\r"),
    "no newline at the end": LOOP.rstrip(),
    "CRLF, no newline at the end": LOOP.replace(b"\n", b"\r\n").rstrip(),
    "byte order mark": b"\xef\xbb\xbf" + LOOP,
    "latin-1": b"# coding: latin-1\n# caf\xe9\n" + LOOP,
}
ODD_NAMES = ["tasks.py", "my tasks.py", 'the "new" tasks.py', "größe.py", "a\\b.py", "tab\tbed.py", "-n.py", "+++ b.py"]
WAYS = {
    # where fix runs, where git apply runs, and how
    "at the top": (".", ".", []),
    "in a directory": ("shop", "shop", []),
    "in a directory, applied at the top": ("shop", ".", ["--directory=shop"]),
    "in a deep directory, applied at the top": ("shop/büro 1", ".", ["--directory=shop/büro 1"]),
}


@pytest.mark.parametrize("way", WAYS)
def test_git_apply_makes_of_the_diff_what_write_makes_of_the_files(project, run, monkeypatch, way):
    where, applied, options = WAYS[way]
    names = dict(zip([f"{kind.replace(',', '')}.py" for kind in ODD_TEXTS], ODD_TEXTS.values())) | dict.fromkeys(ODD_NAMES, LOOP)
    root = project({f"shop/büro 1/{name}": text for name, text in names.items()})
    commit(root)
    monkeypatch.chdir(root / where)
    code, diff, said = run()
    assert code == 1
    assert said.startswith(f"Would fix {len(names)} findings in {len(names)} files ")
    git(root / applied, "apply", *options, "-", input=diff)
    by_git = {name: (root / "shop/büro 1" / name).read_bytes() for name in names}
    git(root, "checkout", "-q", ".")
    assert run("--write")[0] == 0
    assert by_git == {name: (root / "shop/büro 1" / name).read_bytes() for name in names}
    assert by_git["tasks.py"] == FIXED
    assert all(by_git[name] != text for name, text in names.items())
    assert run("--write") == (0, b"", "Nothing to fix.\n")


def test_a_link_out_of_the_tree_is_not_followed_and_the_file_behind_it_stays(project, run, tmp_path):
    root = project({"a.py": LOOP})
    (tmp_path / "outside.py").write_bytes(LOOP)
    (root / "link.py").symlink_to(tmp_path / "outside.py")
    for arguments in ((), ("link.py",)):
        code, _, said = run("--write", "--allow-dirty", *arguments)
        assert code == 1
        assert "error: link.py: a symbolic link that leads out of the project\n" in said
        assert (tmp_path / "outside.py").read_bytes() == LOOP
    assert (root / "a.py").read_bytes() == FIXED


def test_a_link_inside_the_tree_stays_a_link_and_the_file_behind_it_is_mended(project, run):
    root = project({"real/a.py": LOOP})
    (root / "link.py").symlink_to("real/a.py")
    assert run("--write", "--allow-dirty")[0] == 0
    assert (root / "link.py").is_symlink()
    assert (root / "real/a.py").read_bytes() == FIXED


@pytest.mark.parametrize("mode", [0o755, 0o640])
def test_the_mode_of_a_file_is_kept(project, run, mode):
    root = project({"a.py": LOOP})
    (root / "a.py").chmod(mode)
    assert run("--write", "--allow-dirty")[0] == 0
    assert stat.S_IMODE((root / "a.py").stat().st_mode) == mode
    assert (root / "a.py").read_bytes() == FIXED


def test_a_file_with_nothing_to_fix_is_not_touched(project, run):
    root = project({"a.py": LOOP, "b.py": FIXED, "c.py": BOUND})
    before = {name: (root / name).stat() for name in ("b.py", "c.py")}
    run("--write", "--allow-dirty")
    assert {name: (root / name).stat() for name in before} == before


def test_a_read_only_file_is_refused_with_the_reason_and_the_others_are_written(project, run, monkeypatch):
    root = project({"a.py": LOOP, "b.py": LOOP})
    (root / "a.py").chmod(0o444)
    real = os.access  # root may write to anything: as for anybody else
    monkeypatch.setattr(os, "access", lambda path, mode: real(path, mode) and not (mode == os.W_OK and os.fspath(path).endswith("a.py")))
    code, _, said = run("--write", "--allow-dirty")
    assert (code, (root / "a.py").read_bytes(), (root / "b.py").read_bytes()) == (1, LOOP, FIXED)
    assert "Not fixed: 1\n  a.py:9: LIM101 the file is read-only\n" in said


def test_a_file_that_changes_while_fix_is_at_work_is_refused_and_the_change_kept(project, run, monkeypatch):
    root = project({"a.py": LOOP, "b.py": LOOP})
    real = pool.drafts

    def slow(*arguments):
        made = real(*arguments)
        (root / "a.py").write_bytes(LOOP + b"# a colleague's\n")
        return made

    monkeypatch.setattr("flake8_deadline.codemods.mend.drafts", slow)
    code, _, said = run("--write", "--allow-dirty")
    assert (code, (root / "a.py").read_bytes(), (root / "b.py").read_bytes()) == (1, LOOP + b"# a colleague's\n", FIXED)
    assert "Not fixed: 1\n  a.py:9: LIM101 the file has changed since it was read\n" in said


@pytest.mark.parametrize(
    "given", [["--extend-exclude", "migrations,*_pb2.py"], ["--config", "own.cfg"]], ids=["on the command line", "in the configuration"]
)
def test_migrations_and_vendored_files_are_left_alone_where_exclude_names_them(project, run, given):
    left = ["shop/migrations/0001.py", "vendor/shop_pb2.py"]
    root = project({**dict.fromkeys(left, LOOP), "shop/tasks.py": LOOP, "own.cfg": "[flake8]\nexclude = */migrations/*,vendor\n"})
    assert run("--write", "--allow-dirty", "--deadline-root", ".", *given)[0] == 0
    assert (root / "shop/tasks.py").read_bytes() == FIXED
    assert [(root / name).read_bytes() for name in left] == [LOOP, LOOP]


@pytest.mark.parametrize(
    ("comment", "is_fixed"), [(b"# noqa: LIM101", False), (b"# noqa", False), (b"# noqa: LIM102", True), (b"# noqa: E722", True)]
)
def test_a_noqa_on_the_line_of_the_finding_keeps_it_from_being_fixed(project, run, comment, is_fixed):
    text = LOOP.replace(b"Exception:", b"Exception:  " + comment)
    root = project({"a.py": text})
    assert run("--write", "--allow-dirty")[0] == 0
    assert ((root / "a.py").read_bytes() != text) is is_fixed


def test_any_number_of_processes_says_and_writes_the_same(project, run, monkeypatch):
    monkeypatch.setattr(pool, "LEAST_BYTES", 1)
    texts = {f"shop/{number:02}.py": BOUND if number % 4 == 1 else LOOP * (1 + number % 3) for number in range(12)}
    root = project(texts)
    shown = [run("-j", jobs) for jobs in ("1", "2", "5", "auto")]
    assert shown[0][0] == 1
    assert "Not fixed: 3\n" in shown[0][2]
    assert all(one == shown[0] for one in shown)
    written = []
    for jobs in ("1", "4"):
        project(texts)
        said = run("--write", "--allow-dirty", "-j", jobs)
        written.append((said, {path.name: path.read_bytes() for path in (root / "shop").iterdir()}))
    assert written[0] == written[1]


@pytest.mark.parametrize("jobs", ["0", "-1", "two", "1.5", "²", ""])
def test_a_number_of_processes_that_is_none_is_a_usage_error(project, run, jobs, capfdbinary):
    project({"a.py": LOOP})
    with pytest.raises(SystemExit) as raised:
        run(f"--jobs={jobs}")
    assert raised.value.code == 2
    assert "is neither auto nor a number of at least 1" in capfdbinary.readouterr().err.decode()


def test_quiet_says_only_what_went_wrong(project, run):
    root = project({"a.py": LOOP})
    code, out, err = run("-q")
    assert (code, out != b"", err) == (1, True, "")
    assert run("-q", "--write", "--allow-dirty") == (0, b"", "")
    (root / "b.py").write_bytes(BOUND)
    code, out, err = run("--quiet", "--write", "--allow-dirty")
    assert (code, out) == (1, b"")
    assert "Not fixed: 1\n  b.py:9: LIM101 " in err
