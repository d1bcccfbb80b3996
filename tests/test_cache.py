"""The laws of the cache: warm equals cold, nothing is read twice, whatever is broken is empty."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flake8_deadline import cache as cache_module
from flake8_deadline.cache import DIRECTORY, RUNS, Cache, content_hash, fingerprints, run_key
from flake8_deadline.facts import Attr, Constant, Function, Loop, Outline, Return, Summary, Value
from flake8_deadline.tree import Problem, UnreadableError, read

if TYPE_CHECKING:
    from collections.abc import Callable

STORES = ("stamps", "outlines", "summaries", "runs")
PACKAGE = str(Path(cache_module.__file__).parent)


def outline_of(text: bytes) -> Outline:
    return Outline(definitions=frozenset(text.decode().split()))


def summary_of(text: bytes) -> Summary:
    steps = (Loop(1, 0, "for", "rows", ("row",), (Return(len(text)),)),)
    function = Function("f", 1, 0, None, "", (), (), None, ("a.b", Constant(len(text))), {"x": (Constant(text.decode()), None)}, steps)
    return Summary(functions=(function,))


def plant(root: Path, texts: dict[str, str]) -> None:
    for path, text in texts.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)


def settle(root: Path) -> None:
    """Wait until the file system's clock shows a later time than any file of the project bears."""
    newest = max(max(status.st_ctime_ns, status.st_mtime_ns) for status in (path.stat() for path in root.rglob("*")))
    with tempfile.NamedTemporaryFile(dir=root.parent) as probe:
        while os.stat(probe.name).st_mtime_ns <= newest:
            os.utime(probe.name)


def run(root: Path, cache_dir: str = "") -> dict[str, tuple[bytes, Outline, Summary]]:
    """A run that wants to know everything of every file."""
    cache = Cache.open(str(root), cache_dir)
    paths = sorted(str(path.relative_to(root)) for path in root.rglob("*.py"))
    hashes = cache.hashes(paths)
    known = {}
    for path, digest in hashes.items():
        outline = cache.outline(digest)
        if outline is None:
            outline = outline_of(cache.text(path))
            cache.put_outline(digest, outline)
        summary = cache.summary(digest)
        if summary is None:
            summary = summary_of(cache.text(path))
            cache.put_summary(digest, summary)
        known[path] = digest, outline, summary
    key = run_key(hashes, [b"options"])
    if cache.recall(key) is None:
        cache.remember(key, b"findings")
    cache.save()
    return known


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project of three files, older than its next run."""
    root = tmp_path / "project"
    plant(root, {"a.py": "alpha", "b/c.py": "gamma", "b/__init__.py": ""})
    settle(root)
    return root


@pytest.fixture
def reads(project: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The paths of the project's files that are read."""
    seen: list[str] = []

    def counting(root: str, path: str, *limit: int) -> bytes:
        if root == str(project):
            seen.append(path)
        return read(root, path, *limit)

    monkeypatch.setattr(cache_module, "read", counting)
    return seen


def written(root: Path) -> dict[str, tuple[int, int]]:
    return {name: ((root / DIRECTORY / name).stat().st_ino, (root / DIRECTORY / name).stat().st_mtime_ns) for name in STORES}


def forge(root: Path, name: str, content: bytes) -> None:
    """Put content into the cache as only the very same code could have written it."""
    reading, everything = fingerprints(PACKAGE)
    key = reading if name in {"outlines", "summaries"} else everything
    (root / DIRECTORY / name).write_bytes(blake2b(content, digest_size=16, key=key).digest() + content)


# Warm equals cold


def test_a_cold_run_reads_each_file_once(project: Path, reads: list[str]) -> None:
    run(project)
    assert sorted(reads) == ["a.py", "b/__init__.py", "b/c.py"]


def test_a_second_run_reads_no_file_and_writes_none(project: Path, reads: list[str]) -> None:
    cold = run(project)
    before = written(project)
    reads.clear()
    assert run(project) == cold
    assert reads == []
    assert written(project) == before


def test_after_editing_one_file_exactly_that_one_is_read(project: Path, reads: list[str]) -> None:
    run(project)
    reads.clear()
    (project / "a.py").write_text("omega")
    warm = run(project)
    assert reads == ["a.py"]
    assert warm["a.py"] == (content_hash(b"omega"), outline_of(b"omega"), summary_of(b"omega"))


def test_a_new_file_with_a_known_content_costs_one_read_and_no_new_facts(project: Path, reads: list[str]) -> None:
    run(project)
    before = written(project)
    reads.clear()
    (project / "copy.py").write_text("alpha")
    settle(project)
    assert run(project)["copy.py"] == run(project)["a.py"]
    assert reads == ["copy.py"]
    assert written(project)["summaries"] == before["summaries"]


def test_a_file_younger_than_the_run_is_hashed_again_by_the_next(project: Path, reads: list[str]) -> None:
    cache = Cache.open(str(project))
    cache.hashes(["b/c.py"])  # the clock is looked at here
    (project / "a.py").write_text("omega")
    cache.hashes(["a.py"])
    cache.save()
    settle(project)
    reads.clear()
    for _ in range(2):
        cache = Cache.open(str(project))
        assert cache.hashes(["a.py", "b/c.py"]) == {"a.py": content_hash(b"omega"), "b/c.py": content_hash(b"gamma")}
        cache.save()
    assert reads == ["a.py"]


def test_a_file_just_as_old_as_the_run_is_hashed_again_by_the_next(project: Path, reads: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    now = (project / "a.py").stat().st_ctime_ns
    utime = os.utime
    monkeypatch.setattr(os, "utime", lambda descriptor: utime(descriptor, ns=(now, now)))
    run(project)
    reads.clear()
    run(project)
    assert "a.py" in reads


def test_setting_the_time_back_does_not_hide_an_edit(project: Path) -> None:
    run(project)
    status = (project / "a.py").stat()
    (project / "a.py").write_text("omega")
    os.utime(project / "a.py", ns=(status.st_atime_ns, status.st_mtime_ns))
    assert run(project)["a.py"][0] == content_hash(b"omega")


def test_a_file_on_another_device_than_the_cache_is_always_read(project: Path, reads: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    fstat = os.fstat

    def elsewhere(descriptor: int) -> os.stat_result:
        status = list(fstat(descriptor))
        status[2] += 1
        return os.stat_result(status)

    monkeypatch.setattr(os, "fstat", elsewhere)
    run(project)
    reads.clear()
    run(project)
    assert len(reads) == 3


def test_where_no_time_of_change_is_kept_files_are_always_read(project: Path, reads: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache_module, "HAS_CHANGE_TIME", False)
    cold = run(project)
    reads.clear()
    assert run(project) == cold
    assert len(reads) == 3


PATHS = st.sampled_from(["a.py", "b.py", "c/d.py", "c/e.py"])
TEXTS = st.sampled_from(["one", "two", "six", "three"])
EDITS = st.lists(
    st.one_of(
        st.tuples(st.just("write"), PATHS, TEXTS),
        st.tuples(st.just("rename"), PATHS, PATHS),
        st.tuples(st.just("copy"), PATHS, PATHS),
        st.tuples(st.just("delete"), PATHS, st.none()),
        st.tuples(st.just("set time back"), PATHS, TEXTS),
        st.tuples(st.just("wait"), st.none(), st.none()),
        st.tuples(st.just("run"), st.none(), st.none()),
    ),
    max_size=25,
)


def edit(root: Path, verb: str, path: str | None, argument: str | None) -> None:
    file = root / (path or "")
    match verb:
        case "run":
            run(root)
        case "wait":
            settle(root)
        case "write":
            file.write_text(argument or "")
        case "delete":
            file.unlink(missing_ok=True)
        case "rename" if file.exists():
            file.rename(root / (argument or ""))
        case "copy" if file.exists():
            (root / (argument or "")).write_bytes(file.read_bytes())
        case "set time back" if file.exists():
            before = file.stat()
            file.write_text(argument or "")
            os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))


@given(EDITS)
@settings(max_examples=60, deadline=None)
def test_warm_equals_cold_after_any_edits(edits: list[tuple[str, str | None, str | None]]) -> None:
    with tempfile.TemporaryDirectory() as directory:
        root = Path(directory, "project")
        plant(root, {"a.py": "one", "c/d.py": "two"})
        for verb, path, argument in edits:
            edit(root, verb, path, argument)
        assert run(root) == run(root, "none")


# What is kept


def test_a_run_that_asks_for_a_part_keeps_what_others_have_found(project: Path, reads: list[str]) -> None:
    run(project)
    (project / "a.py").write_text("omega")
    cache = Cache.open(str(project))
    hashes = cache.hashes(["a.py", "b/c.py", "b/__init__.py"])
    cache.put_summary(hashes["a.py"], summary_of(b"omega"))
    cache.save()
    settle(project)
    reads.clear()
    run(project)
    assert Cache.open(str(project)).summary(content_hash(b"gamma")) == summary_of(b"gamma")


def test_facts_about_contents_that_are_gone_are_dropped_when_the_store_is_rewritten(project: Path) -> None:
    run(project)
    (project / "b/c.py").unlink()
    run(project)
    assert Cache.open(str(project)).summary(content_hash(b"gamma")) == summary_of(b"gamma")
    (project / "a.py").write_text("omega")
    run(project)
    again = Cache.open(str(project))
    assert (again.summary(content_hash(b"gamma")), again.outline(content_hash(b"alpha"))) == (None, None)
    assert again.summary(content_hash(b"omega")) == summary_of(b"omega")


def test_facts_about_a_text_that_no_file_holds_stay_in_memory(project: Path) -> None:
    cache = Cache.open(str(project))
    cache.hashes(["a.py"])
    cache.put_outline(content_hash(b"unsaved"), outline_of(b"unsaved"))
    cache.save()
    assert cache.outline(content_hash(b"unsaved")) == outline_of(b"unsaved")
    assert Cache.open(str(project)).outline(content_hash(b"unsaved")) is None


def test_facts_are_still_there_after_saving(project: Path) -> None:
    cache = Cache.open(str(project))
    hashes = cache.hashes(["a.py", "b/c.py"])
    cache.put_summary(hashes["a.py"], summary_of(b"alpha"))
    cache.save()
    cache.put_summary(hashes["b/c.py"], summary_of(b"gamma"))
    cache.save()
    for store in (cache, Cache.open(str(project))):
        assert [store.summary(digest) for digest in hashes.values()] == [summary_of(b"alpha"), summary_of(b"gamma")]


def deep() -> Value:
    value: Value = "x"
    for _ in range(20_000):
        value = Attr(value, "y")
    return value


@pytest.mark.parametrize("value", [deep, lambda: Constant(2**64), lambda: Constant("\ud800")], ids=["too deep", "too large", "half a character"])
def test_a_fact_that_cannot_be_written_is_found_again_next_time(project: Path, value: Callable[[], Value]) -> None:
    def build(held: Value) -> Summary:
        return Summary(functions=(Function("f", 1, 0, None, "", (), (), None, (held,), {}, ()),))

    cache = Cache.open(str(project))
    hashes = cache.hashes(["a.py", "b/c.py"])
    odd = build(value())
    cache.put_summary(hashes["a.py"], odd)
    cache.put_summary(hashes["b/c.py"], summary_of(b"gamma"))
    cache.save()
    assert cache.summary(hashes["a.py"]) is odd
    again = Cache.open(str(project))
    assert again.summary(hashes["a.py"]) is None
    assert again.summary(hashes["b/c.py"]) == summary_of(b"gamma")


# Texts


def test_a_text_that_was_just_hashed_is_not_read_again(project: Path, reads: list[str]) -> None:
    cache = Cache.open(str(project))
    cache.hashes(["a.py"])
    assert cache.text("a.py") == b"alpha"
    assert reads == ["a.py"]


def test_texts_beyond_what_memory_is_meant_to_hold_are_read_again(project: Path, reads: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache_module, "HELD_BYTES", 7)
    cache = Cache.open(str(project))
    cache.hashes(["a.py", "b/c.py"])
    assert (cache.text("a.py"), cache.text("b/c.py")) == (b"alpha", b"gamma")
    assert reads == ["a.py", "b/c.py", "b/c.py"]


def test_a_text_that_changed_after_it_was_hashed_is_refused(project: Path) -> None:
    run(project)
    cache = Cache.open(str(project))
    cache.hashes(["a.py", "b/c.py"])
    (project / "a.py").write_text("omega")
    (project / "b/c.py").unlink()
    with pytest.raises(UnreadableError, match=r"a\.py: changed while the project was being read"):
        cache.text("a.py")
    with pytest.raises(UnreadableError, match=r"b/c\.py: No such file"):
        cache.text("b/c.py")


def test_files_that_cannot_be_read_are_reported_in_every_run_and_the_rest_is_hashed(project: Path) -> None:
    for _ in range(2):
        cache = Cache.open(str(project))
        assert cache.hashes(["a.py", "gone.py", "nul\0.py", "b"]) == {"a.py": content_hash(b"alpha")}
        reasons = ["No such file or directory", "no possible name of a file", "not a regular file"]
        assert cache.problems == [Problem(path, reason) for path, reason in zip(["gone.py", "nul\0.py", "b"], reasons)]
        cache.save()


def test_a_path_that_is_not_utf_8_costs_the_shortcut_alone(project: Path, reads: list[str]) -> None:
    name = os.fsdecode(b"\xff.py")
    (project / name).write_text("odd")
    settle(project)
    assert run(project)[name][0] == content_hash(b"odd")
    reads.clear()
    assert run(project)[name] == (content_hash(b"odd"), outline_of(b"odd"), summary_of(b"odd"))
    assert len(reads) == 4


# Whole runs


def test_a_run_is_recalled_by_all_its_inputs() -> None:
    hashes = {"a.py": content_hash(b"1"), "b.py": content_hash(b"2")}
    keys = [
        run_key(hashes, [b"options", b"paths"]),
        run_key(hashes, [b"options", b"other"]),
        run_key(hashes, [b"option", b"spaths"]),
        run_key(hashes, [b"optionspaths"]),
        run_key({"a.py": hashes["b.py"], "b.py": hashes["a.py"]}, [b"options", b"paths"]),
        run_key({"a.py": hashes["a.py"]}, [b"options", b"paths"]),
        run_key({"a.py": hashes["a.py"], "c.py": hashes["b.py"]}, [b"options", b"paths"]),
        run_key({}, []),
        run_key({os.fsdecode(b"\xff"): hashes["a.py"]}, []),
    ]
    assert len(set(keys)) == len(keys)
    assert run_key(dict(reversed(hashes.items())), [b"options", b"paths"]) == keys[0]


def test_the_last_few_runs_can_be_recalled(project: Path) -> None:
    for number in range(RUNS + 1):
        cache = Cache.open(str(project))
        cache.remember(b"key %d" % number, b"payload %d" % number)
        cache.save()
    cache = Cache.open(str(project))
    assert [cache.recall(b"key %d" % number) for number in range(RUNS + 1)] == [None, *(b"payload %d" % number for number in range(1, RUNS + 1))]


def test_what_is_remembered_twice_in_one_run_is_written(project: Path) -> None:
    cache = Cache.open(str(project))
    cache.remember(b"key", b"payload")
    cache.remember(b"key", b"payload")
    cache.save()
    assert Cache.open(str(project)).recall(b"key") == b"payload"


def test_what_is_remembered_again_replaces_what_was_known_of_that_run(project: Path) -> None:
    cache = Cache.open(str(project))
    cache.remember(b"key", b"old")
    cache.remember(b"key", b"new")
    cache.save()
    assert Cache.open(str(project)).recall(b"key") == b"new"


def test_remembering_what_is_known_writes_nothing(project: Path) -> None:
    run(project)
    before = written(project)
    cache = Cache.open(str(project))
    cache.remember(run_key(cache.hashes(["a.py", "b/__init__.py", "b/c.py"]), [b"options"]), b"findings")
    cache.save()
    assert written(project) == before


# Broken, foreign, forged


def works_like_new(root: Path) -> None:
    expected = run(root, "none")
    cache = Cache.open(str(root))
    assert cache.recall(run_key(cache.hashes(expected), [b"options"])) in {None, b"findings"}
    for digest, outline, summary in expected.values():
        assert cache.outline(digest) in {None, outline}
        assert cache.summary(digest) in (None, summary)
    assert cache.hashes(expected) == {path: facts[0] for path, facts in expected.items()}


@pytest.mark.parametrize("name", STORES)
def test_a_file_damaged_at_any_byte_or_cut_anywhere_is_an_empty_one(project: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache_module, "fingerprints", lambda package: (b"reading", b"everything"))
    cold = run(project)
    store = project / DIRECTORY / name
    whole = store.read_bytes()
    for position in range(len(whole)):
        store.write_bytes(whole[:position] + bytes([whole[position] ^ 0x41]) + whole[position + 1 :])
        works_like_new(project)
        store.write_bytes(whole[:position])
        works_like_new(project)
    assert run(project) == cold


@pytest.mark.parametrize("content", [b"", b"\xc0", b"\xdd\xff\xff\xff\xff", b"\x91" * 100_000, b"\x81\xa1a\xa1b", b"\x90"])
@pytest.mark.parametrize("name", STORES)
def test_a_forged_file_is_an_empty_one(project: Path, name: str, content: bytes) -> None:
    cold = run(project)
    forge(project, name, content)
    works_like_new(project)
    assert run(project) == cold


def test_a_forged_fact_is_no_fact(project: Path) -> None:
    cold = run(project)
    depth = 20_000
    nested = b"\x93\xa1a" * depth + b"\xc0" + b"\xa1y" * depth  # Attr(Attr(… None …, "y"), "y")
    function = b"\x9b\xa1f\x01\x00\xc0\xc0\x90\x90" + nested + b"\x90\x80\x90"
    for content in (b"", b"\xc1", b"\x01", b"\x91" * 100_000, b"\x92\xc0\x91" + function):
        forge(project, "summaries", msgspec.msgpack.encode({digest: content for digest, _, _ in cold.values()}))
        works_like_new(project)
        assert run(project) == cold


@pytest.mark.parametrize("name", STORES)
def test_what_is_no_file_is_an_empty_one(project: Path, name: str) -> None:
    cold = run(project)
    store = project / DIRECTORY / name
    store.unlink()
    os.mkfifo(store)
    assert run(project) == cold
    store.unlink()
    store.mkdir()
    (store / "full").touch()
    assert run(project) == cold


def test_what_other_code_has_written_is_as_good_as_absent(project: Path, reads: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    cold = run(project)
    monkeypatch.setattr(cache_module, "fingerprints", lambda package: (b"other", b"code"))
    reads.clear()
    assert Cache.open(str(project)).outline(cold["a.py"][0]) is None
    assert run(project) == cold
    assert len(reads) == 3


def test_the_fingerprints_follow_the_code(tmp_path: Path) -> None:
    plant(tmp_path, {"facts.py": "", "swallow.py": "", "reading/python.py": "", "rules/one.py": "", "notes.md": "", "b/a.py": ""})
    before = fingerprints(str(tmp_path))
    (tmp_path / ".#facts.py").symlink_to("nowhere")
    plant(tmp_path, {"notes.md": "changed", "rules/one.pyc": ""})
    assert fingerprints(str(tmp_path)) == before
    plant(tmp_path, {"rules/one.py": "changed"})
    reading, everything = fingerprints(str(tmp_path))
    assert (reading == before[0], everything == before[1]) == (True, False)
    for path in ("facts.py", "swallow.py", "reading/python.py", "reading/new.py"):
        earlier = fingerprints(str(tmp_path))
        plant(tmp_path, {path: "changed"})
        assert not set(earlier).intersection(fingerprints(str(tmp_path)))


def test_the_fingerprints_follow_the_interpreter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = fingerprints(str(tmp_path))
    monkeypatch.setattr(sys, "hexversion", sys.hexversion + 1)
    assert not set(before).intersection(fingerprints(str(tmp_path)))


WRITER = """
import sys
from flake8_deadline.cache import Cache
for number in range(60):
    cache = Cache.open(sys.argv[1])
    cache.remember(b"key", sys.argv[2].encode() * 20_000)
    cache.save()
    cache.remember(b"key", b"between")
    cache.save()
"""


def test_two_processes_at_once_leave_a_valid_file(project: Path) -> None:
    run(project)
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, str(project), letter]) for letter in "ab"]
    whole = {b"a" * 20_000, b"b" * 20_000, b"between"}
    seen = set()
    while any(writer.poll() is None for writer in writers):
        seen.add(Cache.open(str(project)).recall(b"key"))
    assert [writer.wait() for writer in writers] == [0, 0]
    assert seen - {None} <= whole
    assert Cache.open(str(project)).recall(b"key") == b"between"
    assert sorted(path.name for path in (project / DIRECTORY).iterdir()) == sorted([".gitignore", "CACHEDIR.TAG", "clock", *STORES])


# The directory


def test_the_directory_ignores_itself(project: Path) -> None:
    run(project)
    assert (project / DIRECTORY / ".gitignore").read_text() == "*\n"
    assert (project / DIRECTORY / "CACHEDIR.TAG").read_text().startswith("Signature: 8a477f597d28d172789f06886806bc55\n")


def test_opening_creates_nothing(project: Path) -> None:
    cache = Cache.open(str(project))
    assert cache.recall(b"key") is None
    assert cache.outline(b"digest") is None
    cache.save()
    assert not (project / DIRECTORY).exists()


def test_without_a_directory_everything_stays_in_memory(project: Path, reads: list[str]) -> None:
    before = sorted(project.rglob("*"))
    cache = Cache.open(str(project), "none")
    digest = cache.hashes(["a.py"])["a.py"]
    cache.put_outline(digest, outline_of(b"alpha"))
    cache.remember(b"key", b"payload")
    cache.save()
    assert cache.outline(digest) == outline_of(b"alpha")
    assert cache.recall(b"key") == b"payload"
    assert sorted(project.rglob("*")) == before
    assert reads == ["a.py"]


@pytest.mark.parametrize("absolute", [True, False])
def test_another_directory_can_be_chosen(project: Path, reads: list[str], absolute: bool) -> None:
    chosen = str(project.parent / "made/for/this") if absolute else "../made/for/this"
    cold = run(project, chosen)
    reads.clear()
    assert run(project, chosen) == cold
    assert reads == []
    assert (project.parent / "made/for/this/.gitignore").exists()
    assert not (project / DIRECTORY).exists()


def test_the_home_directory_is_understood(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(project.parent / "home"))
    run(project, "~/cache")
    assert (project.parent / "home/cache/summaries").exists()


def test_a_directory_with_other_things_in_it_is_not_ignored_for_them(project: Path) -> None:
    plant(project.parent, {"home/important": "x"})
    run(project, "../home")
    assert sorted(path.name for path in (project.parent / "home").iterdir()) == sorted(["important", "clock", *STORES])


def test_a_repository_cannot_point_its_cache_elsewhere_by_a_link(project: Path) -> None:
    plant(project.parent, {"home/important": "x"})
    (project / DIRECTORY).symlink_to(project.parent / "home")
    run(project)
    assert [path.name for path in (project.parent / "home").iterdir()] == ["important"]


def test_links_inside_the_directory_are_replaced_and_never_written_through(project: Path) -> None:
    plant(project.parent, {"home/important": "x"})
    (project / DIRECTORY).mkdir()
    for name in (*STORES, "clock"):
        (project / DIRECTORY / name).symlink_to(project.parent / "home/important")
    before = (project.parent / "home/important").stat()
    run(project)
    assert (project.parent / "home/important").read_text() == "x"
    assert (project.parent / "home/important").stat().st_mtime_ns == before.st_mtime_ns


@pytest.mark.parametrize("cache_dir", ["a.py", "a.py/inside", "nul\0"])
def test_a_directory_that_cannot_be_made_is_no_reason_to_fail(project: Path, cache_dir: str) -> None:
    assert run(project, cache_dir) == run(project, cache_dir) == run(project, "none")


def test_a_directory_that_cannot_be_written_is_no_reason_to_fail(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cold = run(project)
    os_open = os.open

    def refusing(path: str, flags: int, mode: int = 0o777) -> int:
        if flags & os.O_CREAT:
            raise OSError(30, "Read-only file system", path)
        return os_open(path, flags, mode)

    monkeypatch.setattr(os, "open", refusing)
    assert run(project) == cold
    (project / "a.py").write_text("omega")
    assert run(project) == run(project, "none")


def test_a_full_disk_leaves_no_litter(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cold = run(project)
    (project / "a.py").write_text("omega")
    before = sorted((project / DIRECTORY).iterdir())

    def refusing(source: str, target: str) -> None:
        raise OSError(28, "No space left on device", source)

    monkeypatch.setattr(os, "replace", refusing)
    assert run(project)["b/c.py"] == cold["b/c.py"]
    assert sorted((project / DIRECTORY).iterdir()) == before
