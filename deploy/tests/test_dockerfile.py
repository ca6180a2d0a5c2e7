"""The Dockerfile builds what the repository holds, and nothing more."""

import os
import shlex
import sys
from pathlib import Path

import httpx
import pytest
from django.conf import settings

from deploy.tests.descriptions import (
    ROOT,
    dockerfile_arguments,
    listening_port,
    web_command,
)
from deploy.tests.servers import running
from gateway.tests.redis_servers import free_port


@pytest.mark.parametrize(("asked", "expected"), [("3", 3), ("", len(os.sched_getaffinity(0)))])
def test_image_serves_with_a_process_per_core_or_as_many_as_are_asked_for(
    asked: str, expected: int, tmp_path: Path
) -> None:
    port = free_port()
    environment = {
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "WEB_CONCURRENCY": asked,
        "GATEWAY_ENV": "development",
    }
    command = [str(port) if word == "8000" else word for word in web_command()]
    log = tmp_path / "web.log"

    with running(command, ready=lambda: processes_in(log) == expected, log=log, environment=environment):
        answer = httpx.get(f"http://127.0.0.1:{port}/healthz", timeout=20)

    assert answer.status_code == 200
    assert "server" not in answer.headers


def processes_in(log: Path) -> int:
    return log.read_text().count("Application startup complete")


# ---------------------------------------------------------------- the image


def copied_from_the_repository() -> set[str]:
    copies = [shlex.split(argument) for argument in dockerfile_arguments("COPY")]
    return {source for copy in copies if not copy[0].startswith("--from") for source in copy[:-1]}


def test_copied_files_exist_and_are_in_the_build_context() -> None:
    ignored = set((ROOT / ".dockerignore").read_text().splitlines())
    for source in copied_from_the_repository():
        assert (ROOT / source).exists(), source
        assert source not in ignored


def test_every_app_of_ours_is_in_the_image() -> None:
    packages = {app.split(".")[0] for app in settings.INSTALLED_APPS}
    ours = {package for package in packages if (ROOT / package).is_dir()}
    assert "gateway" in ours
    assert ours - copied_from_the_repository() == set()


def test_image_installs_the_locked_packages_only() -> None:
    installs = [argument for argument in dockerfile_arguments("RUN") if " install " in argument]
    assert len(installs) == 1
    assert "--require-hashes -r /requirements.txt" in installs[0]
    assert "requirements.txt" in copied_from_the_repository()


def test_image_is_not_root_and_asks_healthz() -> None:
    assert int(dockerfile_arguments("USER")[-1].split(":")[0]) > 0
    assert f"http://127.0.0.1:{listening_port('web')}/healthz" in dockerfile_arguments("HEALTHCHECK")[-1]
    assert dockerfile_arguments("EXPOSE") == [str(listening_port("web"))]


@pytest.mark.parametrize("secret", [".env", ".git", ".local", "**/tests"])
def test_secrets_and_tests_stay_out_of_the_build_context(secret: str) -> None:
    assert secret in (ROOT / ".dockerignore").read_text().splitlines()
