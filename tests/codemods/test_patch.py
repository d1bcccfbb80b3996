"""`git apply` makes of a diff what the diff was made of."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

from flake8_deadline.codemods.patch import unified_diff

if TYPE_CHECKING:
    from pathlib import Path


def test_a_diff_reads_as_git_s_does() -> None:
    assert unified_diff("shop/tasks.py", b"a\nb\n", b"a\nc\nb\n") == b"--- a/shop/tasks.py\n+++ b/shop/tasks.py\n@@ -1,2 +1,3 @@\n a\n+c\n b\n"


def test_without_a_change_there_is_no_diff() -> None:
    assert unified_diff("a.py", b"a\n", b"a\n") == b""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param(b"a\nb\n", b"c\na\nb\n", id="plain"),
        pytest.param(b"a\r\nb\r\n", b"a\r\nc\r\nb\r\n", id="CRLF"),
        pytest.param(b"a\rb\r", b"a\rc\rb\r", id="CR alone"),
        pytest.param(b"a\r\nb\n", b"a\r\nc\r\nb\n", id="mixed"),
        pytest.param(b"a\nb", b"a\nc\nb", id="no newline at the end"),
        pytest.param(b"b", b"a\nb", id="no newline at all"),
        pytest.param(b"a \xe4\n\x0cb\x85\n", b"a \xe4\nc\n\x0cb\x85\n", id="not UTF-8, form feed"),
        pytest.param(b"\xef\xbb\xbfa\n", b"\xef\xbb\xbfb\na\n", id="byte order mark"),
        pytest.param(b"".join(b"%d\n" % n for n in range(99)), b"".join(b"%d\n" % n * (1 + (n % 40 == 7)) for n in range(99)), id="three places"),
    ],
)
@pytest.mark.parametrize("path", ["tasks.py", "shop/tasks.py", "a shop/my tasks.py", "größe.py", 'a"b\\c\td\n.py'])
def test_git_apply_makes_the_new_text(tmp_path: Path, path: str, old: bytes, new: bytes) -> None:
    file = tmp_path / path
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(old)

    subprocess.run(["git", "apply", "-"], cwd=tmp_path, input=unified_diff(path, old, new), check=True, capture_output=True)

    assert file.read_bytes() == new
