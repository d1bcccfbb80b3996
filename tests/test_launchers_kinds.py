"""Which reader a file is for, whether it is worth reading, and what holds for all readers."""

import re

import pytest

from flake8_deadline.launches import Launches
from flake8_deadline.reading.launchers import kinds


@pytest.mark.parametrize(
    ("kind", "paths"),
    [
        (
            "dockerfile",
            "Dockerfile docker/Dockerfile-workers Dockerfile.worker x/worker.dockerfile packaging/Containerfile.compute_worker Dockerfile.j2",
        ),
        ("compose", "docker-compose.yml docker-compose.prod.yaml compose.yaml a/compose.override.yml development/docker-compose.final.yml"),
        ("workflow", ".github/workflows/ci.yml x/.github/workflows/a.yaml .gitlab-ci.yml .circleci/config.yml"),
        ("manifest", "manifest.yml manifests/manifest_celery_worker_prod.yml render.yaml app_desc.yaml"),
        ("values", "helm/values.yaml chart/values-prod.yml"),
        ("kubernetes", "k8s/worker.yaml a/_deploy_base.yml.j2 templates/_helpers.tpl templates/worker.yaml.tpl .github/dependabot.yml"),
        ("procfile", "Procfile Procfile.dev a/Procfile"),
        ("supervisor", "supervisord.conf etc/supervisor/conf.d/celery-beat.conf conf/workers.conf.j2 x/celery.ini templates/supervisor/celery.j2"),
        ("systemd", "deploy/worker.service a/celeryd.service.j2"),
        ("make", "Makefile makefile GNUmakefile Makefile.local build/x.mk"),
        ("just", "justfile Justfile .justfile dev.just"),
        ("env", ".env .env.prod worker.env worker.env.example env etc/default/celeryd-generic conf.d/celery .envs/.production/.django env.sample"),
        (
            "json",
            "package.json ecs/task-definition.json .vscode/launch.json .devcontainer/vscode/tasks.json x/celery.tpl.json x/app.json.tpl",
        ),
        ("toml", "pyproject.toml fly.toml fly.staging.toml"),
        (
            "shell",
            "a/b.bash svc-worker/run docker-entrypoint bin/worker scripts/celery/start docker/entrypoint entrypoint start-worker a/runner.sh.j2",
        ),
        (
            None,
            "a.py Dockerfile.md entrypoint.py env.py README x.toml requirements.txt nginx.conf tox.ini Dockerfile.dockerignore other.json",
        ),
    ],
)
def test_the_kind_of_a_file_is_told_by_its_path(kind, paths):
    assert {path: kinds.kind_of(path) for path in paths.split()} == dict.fromkeys(paths.split(), kind)


@pytest.mark.parametrize(
    ("kind", "text", "worth"),
    [
        ("make", b"a:\n\tcelery worker", True),
        ("make", b"a:\n\tgcc", False),
        ("json", b'{"scripts": {"a": "CELERY=1"}}', True),
        ("dockerfile", b"FROM a\nENTRYPOINT x", True),
        ("dockerfile", b"FROM a\nenv A=1", True),
        ("dockerfile", b"FROM a\nRUN x", False),
        ("compose", b"services:\n  a:\n    command: x", True),
        ("compose", b"volumes: {}", False),
        ("procfile", b"web: x", True),
        ("systemd", b"[Service]\nExecStart=x", True),
        ("systemd", b"[Timer]", False),
        ("supervisor", b"[program:a]\ncommand=x", True),
        ("kubernetes", b"args: [a]", True),
        ("kubernetes", b"kind: Service", False),
        ("shell", b"exec x", True),
        ("shell", b"./run-worker.sh", True),
        ("shell", b"ls", False),
        ("env", b"", True),
        ("values", b"", True),
    ],
)
def test_whether_a_file_is_worth_reading_is_told_by_its_bytes(kind, text, worth):
    assert kinds.worth_reading(kind, text) is worth


@pytest.mark.parametrize("kind", kinds._READERS)
def test_every_kind_has_a_reader_that_takes_anything(kind):
    for text in (b"", b"\xff\x00\xfe", b"\xef\xbb\xbf", b"a" * 100, b"\\", b"[", b"{", b"'", b'"', b"${", b"{{", b"=", b":", b"\n\t\\\n"):
        assert isinstance(kinds.read(kind, text), Launches)


@pytest.mark.parametrize(
    "kind", [kind for kind, (module, _) in kinds._READERS.items() if re.search("dockerf|procf|superv|systemd|makef|dotenv|_tasks", module)]
)
def test_of_too_large_a_file_only_that_is_said(kind):
    assert kinds.read(kind, b"\n" * (kinds.LARGEST + 1)) == Launches(kind, faults=((1, "larger than 1048576 bytes"),))
    assert kinds.read(kind, b"\n" * 10).faults in ((), ((11, "the end comes too early"),))


LINES = [
    b'FROM a AS b\nENV A="b c" D=$E\nCMD ["a", "b"]\nCOPY <<E b\n',
    b'a: b "c" ${D:-e} \\\n\tf $(g)\n',
    b"[program:x]\ncommand=a %(ENV_B)s {{ c }}\n  d ; e\n",
    b"[Service]\nExecStart=a ${B} 'c \\\n d'\nEnvironment=\"A=b c\"\n",
    b'{"scripts": {"a": "b \\"c\\""}, "tasks": [{"command": "x", /* */ }]}',
    b"[tool.poe.tasks]\na = \"b\"\nc = '''d\ne'''\nf = {cmd = \"g\"}\n",
    b"a b='c' *d:\n  e {{f}} \\\n g\nx := env('y', 'z')\n",
]


@pytest.mark.parametrize("kind", kinds._READERS)
@pytest.mark.parametrize("text", LINES)
def test_every_reader_takes_texts_that_are_cut_off_or_mixed(kind, text):
    for end in range(len(text)):
        assert isinstance(kinds.read(kind, text[:end]), Launches)
        assert isinstance(kinds.read(kind, text[end:] + text[:end]), Launches)
