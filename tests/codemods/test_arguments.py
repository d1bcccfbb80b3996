"""Arguments passed to calls and decorators, and attributes set in classes: where they go, and when they are left alone."""

from __future__ import annotations

from textwrap import dedent

import pytest

from flake8_deadline.codemods.carrying_out import carry_out
from flake8_deadline.codemods.refusal import RefusedError
from flake8_deadline.codemods.splice import text_of
from flake8_deadline.codemods.wishes import Limits, Wishes
from flake8_deadline.rule import Declare, Isolate, Pass, Savepoint

LIMITS = (("soft_time_limit", "{soft}"), ("time_limit", "{hard}"))
SPARED = (("dont_autoretry_for", "({0},)"),)
SIGNAL = ("celery.exceptions", "SoftTimeLimitExceeded")
WISHES = Wishes(True, None, Limits(600, 900, "95 files"))


def passed(source: bytes | str, *fixes: Pass | Declare, wishes: Wishes = WISHES) -> str:
    old = dedent(source).encode() if isinstance(source, str) else source
    edit = carry_out(old, fixes, wishes, frozenset())
    assert edit.refusals == ()
    assert edit.fixes == fixes
    return edit.source.decode("latin-1" if b"latin-1" in old else "utf-8")


def refused(source: str, fix: Pass | Declare) -> str:
    edit = carry_out(dedent(source).encode(), [fix], WISHES, frozenset())
    assert edit.source == dedent(source).encode()
    (refusal,) = edit.refusals
    return refusal.reason


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("@task", "@task(soft_time_limit=600, time_limit=900)  # 95 files"),
        ("@task()", "@task(soft_time_limit=600, time_limit=900)  # 95 files"),
        ("@app.task ( )", "@app.task (soft_time_limit=600, time_limit=900 )  # 95 files"),
        ("@task(bind=True)", "@task(bind=True, soft_time_limit=600, time_limit=900)  # 95 files"),
        ("@task(bind=True,)", "@task(bind=True, soft_time_limit=600, time_limit=900)  # 95 files"),
        ("@task((a))", "@task((a), soft_time_limit=600, time_limit=900)  # 95 files"),
        ("@task('\N{SNOWMAN}', *a)", "@task('\N{SNOWMAN}', *a, soft_time_limit=600, time_limit=900)  # 95 files"),
        ("@task(a)  # why", "# 95 files\n@task(a, soft_time_limit=600, time_limit=900)  # why"),
        ("@task(a,\n      b)", "@task(a,\n      b, soft_time_limit=600, time_limit=900)  # 95 files"),
        ("@task(\n    a\n)", "@task(\n    a,\n    soft_time_limit=600,  # 95 files\n    time_limit=900,\n)"),
        ("@task(\n  a,  # b\n  # c\n)", "@task(\n  a,  # b\n  soft_time_limit=600,  # 95 files\n  time_limit=900,\n  # c\n)"),
        ("@task(a,\n      b,\n)", "@task(a,\n      b,\n    soft_time_limit=600,  # 95 files\n    time_limit=900,\n)"),
        ("@task(\n    f(a,\n      b),\n)", "@task(\n    f(a,\n      b),\n    soft_time_limit=600,  # 95 files\n    time_limit=900,\n)"),
        ("@(task)", "# 95 files\n@(task(soft_time_limit=600, time_limit=900))"),
        ("@task(a, \\\n  b  # c\n)", "@task(a, \\\n  b,  # c\n    soft_time_limit=600,  # 95 files\n    time_limit=900,\n)"),
        ("@task(  # a\n)", "@task(soft_time_limit=600, time_limit=900  # a\n)  # 95 files"),
    ],
)
def test_arguments_are_laid_out_as_those_that_are_there(old, new):
    assert passed(f"x = 1\n{old}\ndef f():\n    pass\n", Pass(2, LIMITS)) == f"x = 1\n{new}\ndef f():\n    pass\n"


def test_in_a_class_or_a_function_the_indentation_is_kept():
    source = "class A:\r\n\t@task(  # a\r\n\t\tbind=True,\r\n\t)\r\n\tdef f(self):\r\n\t\tpass\r\n"
    assert passed(source.encode(), Pass(2, LIMITS)) == source.replace(
        "True,\r\n", "True,\r\n\t\tsoft_time_limit=600,  # 95 files\r\n\t\ttime_limit=900,\r\n"
    )


def test_a_call_is_told_by_its_name_and_line():
    source = "from a import b\nc = b.Client(b.Other()).chat()\n"
    assert passed(source, Pass(2, (("max_retries", "0"),), (), "Client")) == source.replace("Other()", "Other(), max_retries=0")
    assert passed(source, Pass(2, (("max_retries", "0"),), (), "chat")) == source.replace("chat()", "chat(max_retries=0)")


def test_a_call_at_the_start_of_a_line_is_one_too():
    assert passed("client(a)", Pass(1, (("b", "1"),), (), "client")) == "client(a, b=1)"
    assert passed("client(a)  # c", Pass(1, LIMITS, (), "client")) == "# 95 files\nclient(a, soft_time_limit=600, time_limit=900)  # c"


def test_names_are_spelt_as_the_file_spells_them_or_imported():
    source = "import tenacity\n\n\n@tenacity.retry\ndef f():\n    pass\n"
    fix = Pass(4, (("retry", "{1}({0})"),), (SIGNAL, ("tenacity", "retry_if_not_exception_type")))
    assert passed(source, fix) == (
        "import tenacity\nfrom celery.exceptions import SoftTimeLimitExceeded\n\n\n"
        "@tenacity.retry(retry=tenacity.retry_if_not_exception_type(SoftTimeLimitExceeded))\ndef f():\n    pass\n"
    )


def test_several_in_one_file_share_the_import():
    source = "@a\n@b\ndef f():\n    pass\n"
    fixes = [Pass(line, (("on", "{0}"),), (SIGNAL,)) for line in (1, 2)]
    new = passed(source, *fixes)
    assert new.count("import") == 1
    assert new.endswith("@a(on=SoftTimeLimitExceeded)\n@b(on=SoftTimeLimitExceeded)\ndef f():\n    pass\n")


def test_a_file_is_read_in_its_own_encoding():
    source = "# -*- coding: latin-1 -*-\n@task('\xe9', a)\ndef f():\n    pass\n"
    assert passed(source.encode("latin-1"), Pass(2, LIMITS)) == source.replace("a)", "a, soft_time_limit=600, time_limit=900)  # 95 files")
    marked = "\ufeff@task\ndef f():\n    pass\n"
    assert passed(marked.encode(), Pass(1, LIMITS)) == marked.replace("@task", "@task(soft_time_limit=600, time_limit=900)  # 95 files")


def test_a_reason_that_the_encoding_lacks_refuses_the_file():
    source = "# -*- coding: latin-1 -*-\n@task\ndef f():\n    pass\n"
    edit = carry_out(source.encode(), [Pass(2, LIMITS)], Wishes(limits=Limits(1, 2, "\N{SNOWMAN}")), frozenset())
    assert edit.refusals[0].reason == "the file's encoding, iso-8859-1, lacks a character of what would be inserted"
    assert edit.source == source.encode()


def test_an_encoding_that_loses_bytes_refuses_the_file():
    source = b"# coding: utf-7\n@task\ndef f():\n    '+AGE-'\n"
    edit = carry_out(source, [Pass(2, LIMITS)], WISHES, frozenset())
    assert edit.refusals[0].reason == "the file's encoding does not allow an edit by characters"


@pytest.mark.parametrize("source", [b"\xff = 1\n", b"# coding: nonsense\n"])
def test_bytes_that_are_no_text_are_refused(source):
    with pytest.raises(RefusedError, match="does not allow an edit by characters"):
        text_of(source)


@pytest.mark.parametrize(
    ("decorator", "reason"),
    [
        ("@task(**options)", "the arguments may be among those passed by **"),
        ("@task(time_limit=9)", "time_limit is passed already"),
        ("@task(a for a in b)", "the generator passed would need brackets of its own"),
        ("x = 1\ndef", "no decorator begins on this line"),
    ],
)
def test_a_decorator_that_may_have_the_argument_is_left_alone(decorator, reason):
    source = f"{decorator}\ndef f():\n    pass\n" if decorator.startswith("@") else "x = 1\n"
    assert refused(source, Pass(1, LIMITS)) == reason


@pytest.mark.parametrize("decorator", ["lambda f: f", "tasks[0]", "a if b else c", "not a"])
def test_a_decorator_that_is_no_name_is_left_alone(decorator):
    source = f"@{decorator}\ndef f():\n    pass\n"
    assert refused(source, Pass(1, LIMITS)) == "the decorator is neither a name nor a call: pass the arguments by hand"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("@task", "@task(dont_autoretry_for=(SoftTimeLimitExceeded,), soft_time_limit=600, time_limit=900)  # 95 files"),
        ("@task()", "@task(dont_autoretry_for=(SoftTimeLimitExceeded,), soft_time_limit=600, time_limit=900)  # 95 files"),
        ("@task(a)", "@task(a, dont_autoretry_for=(SoftTimeLimitExceeded,), soft_time_limit=600, time_limit=900)  # 95 files"),
        (
            "@task(\n    a\n)",
            "@task(\n    a,\n    dont_autoretry_for=(SoftTimeLimitExceeded,),\n    soft_time_limit=600,  # 95 files\n    time_limit=900,\n)",
        ),
    ],
)
def test_two_fixes_of_one_decorator_are_one_call(old, new):
    head = "from celery.exceptions import SoftTimeLimitExceeded\n"
    fixes = Pass(2, SPARED, (SIGNAL,)), Pass(2, LIMITS)
    assert passed(f"{head}{old}\ndef f():\n    pass\n", *fixes) == f"{head}{new}\ndef f():\n    pass\n"
    edit = carry_out(f"{head}{old}\ndef f():\n    pass\n".encode(), [*fixes, Pass(2, LIMITS[:1])], WISHES, frozenset())
    assert [refusal.reason for refusal in edit.refusals] == ["soft_time_limit is passed already"]


def test_two_fixes_of_one_class_stand_together():
    source = 'from celery.exceptions import SoftTimeLimitExceeded\nclass A(Task):\n    """Doc."""\n\n    name = 1\n'
    assert passed(source, Declare(2, SPARED, (SIGNAL,)), Declare(2, LIMITS)) == source.replace(
        "\n\n",
        "\n\n    dont_autoretry_for = (SoftTimeLimitExceeded,)\n    soft_time_limit = 600  # 95 files\n    time_limit = 900\n\n",
    )


def test_line_endings_of_every_kind_are_counted_as_python_does():
    source = "# \N{SNOWMAN}\r@task(\r    a,\r    b  # c\r)\rdef f():\r    pass\r"
    assert passed(source.encode(), Pass(2, LIMITS)) == source.replace(
        "b  # c\r", "b,  # c\r    soft_time_limit=600,  # 95 files\r    time_limit=900,\r"
    )
    cookie = "# coding: latin-1\r@task\rdef f():\r    '\xe9'\r"
    assert passed(cookie.encode("latin-1"), Pass(2, LIMITS)) == cookie.replace("@task", "@task(soft_time_limit=600, time_limit=900)  # 95 files")


def test_calls_that_cannot_be_told_apart_are_left_alone():
    assert refused("a(), a()\n", Pass(1, (("b", "1"),), (), "a")) == "more than one call of a begins on this line"
    assert refused("a()\n", Pass(1, (("b", "1"),), (), "c")) == "no call of c begins on this line"
    assert refused("def\n", Pass(1, (("b", "1"),), (), "c")).startswith("Python ")


@pytest.mark.parametrize(
    ("body", "new"),
    [
        ('    """Doc."""\n', '    """Doc."""\n    {soft}\n    {hard}\n'),
        ('    """Doc."""\n\n    name = "a"\n', '    """Doc."""\n\n    {soft}\n    {hard}\n\n    name = "a"\n'),
        ('    """Doc."""\n    name = "a"\n', '    """Doc."""\n    {soft}\n    {hard}\n    name = "a"\n'),
        ('    # the name\n    name = "a"\n', '    {soft}\n    {hard}\n    # the name\n    name = "a"\n'),
        ("    def run(self):\n        pass\n", "    {soft}\n    {hard}\n\n    def run(self):\n        pass\n"),
        ("\n    @a\n    def run(self):\n        pass\n", "    {soft}\n    {hard}\n\n\n    @a\n    def run(self):\n        pass\n"),
        ("    name: str\n    a.b = 1\n", "    {soft}\n    {hard}\n    name: str\n    a.b = 1\n"),
        ('    """Doc."""; a = (\n  1)\n    b = 1\n', '    """Doc."""; a = (\n  1)\n    {soft}\n    {hard}\n    b = 1\n'),
        ("\x0c    a = 1\n", "    {soft}\n    {hard}\n\x0c    a = 1\n"),
        ('    """Doc."""', '    """Doc."""\n    {soft}\n    {hard}'),
    ],
)
def test_attributes_stand_below_the_docstring_and_above_everything_else(body, new):
    written = new.format(soft="soft_time_limit = 600  # 95 files", hard="time_limit = 900")
    assert passed(f"@register\nclass A(Task):\n{body}", Declare(1, LIMITS)) == f"@register\nclass A(Task):\n{written}"
    assert passed(f"class A(\n    Task\n):\n{body}", Declare(1, LIMITS)) == f"class A(\n    Task\n):\n{written}"


def test_a_class_that_has_the_attribute_or_no_lines_is_left_alone():
    assert refused("class A(Task):\n    time_limit = 9\n", Declare(1, LIMITS)) == "the class sets time_limit already"
    assert refused("class A(Task):\n    time_limit: int = 9\n", Declare(1, LIMITS)) == "the class sets time_limit already"
    assert refused("class A(Task):\n    name, time_limit = 1, 9\n", Declare(1, LIMITS)) == "the class sets time_limit already"
    assert refused("class A(Task):\n    if name:\n        time_limit = 9\n", Declare(1, LIMITS)) == "the class sets time_limit already"
    assert refused("class A(Task): \\\n    name = 1\n", Declare(1, LIMITS)) == "the class has its body on the line of its head"
    assert refused("class A(Task): name = 1\n", Declare(1, LIMITS)) == "the class has its body on the line of its head"
    assert refused("x = 1\n", Declare(1, LIMITS)) == "no class begins on this line"


def test_without_a_reason_there_is_no_comment():
    fix = Pass(1, (("dont_autoretry_for", "({0},)"),), (SIGNAL,))
    assert passed("@task(a)\ndef f():\n    pass\n", fix).splitlines()[-3] == "@task(a, dont_autoretry_for=(SoftTimeLimitExceeded,))"
    multi = "@task(\n    a,\n)\ndef f():\n    pass\n"
    assert passed(multi, fix).splitlines()[-5:-2] == ["    a,", "    dont_autoretry_for=(SoftTimeLimitExceeded,),", ")"]
    declared = passed("class A(Task):\n    x = 1\n", Declare(1, (("dont_autoretry_for", "({0},)"),), (SIGNAL,)))
    assert declared.endswith("class A(Task):\n    dont_autoretry_for = (SoftTimeLimitExceeded,)\n    x = 1\n")


def test_a_reason_of_the_import_names_the_line_of_the_file_as_it_is():
    source = "@task(\n    a,\n)\ndef f():\n    print(f(*b)\n  \\\n)\nfor a in b:\n    a()\n\\\nelse: pass\n"
    edit = carry_out(source.encode(), [Pass(1, SPARED, (SIGNAL,))], WISHES, frozenset())
    assert edit.refusals[0].reason == "libcst cannot parse the file (line 11)"


def test_a_name_that_means_something_else_refuses_the_fix_and_no_other():
    source = "SoftTimeLimitExceeded = 1\n\n\n@a\n@b\ndef f():\n    pass\n"
    fixes = [Pass(4, (("on", "{0}"),), (SIGNAL,)), Pass(5, (("on", "1"),))]
    edit = carry_out(source.encode(), fixes, WISHES, frozenset())
    assert edit.fixes == (fixes[1],)
    assert "bound elsewhere" in edit.refusals[0].reason


def test_a_second_run_passes_nothing_twice():
    once = passed("@task\ndef f():\n    pass\n", Pass(1, LIMITS))
    assert refused(once, Pass(1, LIMITS)) == "soft_time_limit is passed already"


@pytest.mark.parametrize("fix", [Pass(2, LIMITS), Declare(2, LIMITS), Isolate(2, *SIGNAL), Savepoint(2)], ids=lambda fix: type(fix).__name__)
def test_a_generated_file_is_left_alone_whatever_the_fix(fix):
    assert refused("# @generated\n@task\ndef f():\n    pass\n", fix) == "the file is generated: change what generates it"
