"""Which Python `make` takes for the virtualenv: real interpreters, and programs that answer like unsuitable ones."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from deploy.local.layout import REPOSITORY

OURS = f"python{sys.version_info.major}.{sys.version_info.minor}"
SUPPORTED = ("3.11", "3.12", "3.13", "3.14")
ONLY_A_VERSION = 'case "$2" in *ensurepip*) exit 1 ;; *) echo {version} ;; esac'


def program(path: Path, script: str) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


def python(path: Path, version: str) -> None:
    """It tells its version, and has neither venv nor ensurepip."""
    program(path, ONLY_A_VERSION.format(version=version))


def real_python(path: Path) -> None:
    program(path, f'exec {Path(sys.executable).resolve()} "$@"')


def choose(*directories: Path) -> tuple[int, str, str]:
    found = subprocess.run(
        ["/bin/sh", "deploy/local/python.sh"],
        cwd=REPOSITORY,
        env={"PATH": os.pathsep.join(map(str, directories))},
        capture_output=True,
        text=True,
        check=False,
    )
    return found.returncode, found.stdout, found.stderr


def test_supported_versions_are_those_of_the_project() -> None:
    script = (REPOSITORY / "deploy/local/python.sh").read_text()
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]
    (listed,) = re.findall(r"^SUPPORTED='(.*)'$", script, re.MULTILINE)

    assert tuple(reversed(listed.split())) == SUPPORTED
    assert project["requires-python"] == ">=3.11,<3.15"


def test_python_of_this_virtualenv_would_be_chosen(tmp_path: Path) -> None:
    real_python(tmp_path / OURS)

    assert choose(tmp_path) == (0, f"{tmp_path / OURS}\n", "")


@pytest.mark.parametrize("name", ["python3", "python"])
def test_python_without_a_version_in_its_name_is_chosen(name: str, tmp_path: Path) -> None:
    real_python(tmp_path / name)

    assert choose(tmp_path) == (0, f"{tmp_path / name}\n", "")


@pytest.mark.parametrize("newest", SUPPORTED)
def test_newest_supported_python_is_chosen(newest: str, tmp_path: Path) -> None:
    real_python(tmp_path / "python3")
    for version in SUPPORTED[: SUPPORTED.index(newest) + 1]:
        program(tmp_path / f"python{version}", f"echo {version}.1")

    assert choose(tmp_path) == (0, f"{tmp_path}/python{newest}\n", "")


def test_newer_python_than_the_locked_packages_know_is_passed_over(tmp_path: Path) -> None:
    program(tmp_path / "python3", "echo 3.15.0")
    real_python(tmp_path / OURS)

    assert choose(tmp_path) == (0, f"{tmp_path / OURS}\n", "")


def test_shim_that_leads_nowhere_hides_no_python_behind_it(tmp_path: Path) -> None:
    shims, programs = tmp_path / "shims", tmp_path / "programs"
    program(shims / OURS, f"echo 'pyenv: {OURS}: command not found' >&2; exit 127")
    real_python(programs / OURS)

    assert choose(shims, programs) == (0, f"{programs / OURS}\n", "")


def test_python_that_makes_no_virtualenvs_is_passed_over(tmp_path: Path) -> None:
    python(tmp_path / "python3.14", "3.14.1")
    real_python(tmp_path / "python")

    assert choose(tmp_path) == (0, f"{tmp_path / 'python'}\n", "")


def test_without_a_suitable_python_all_that_was_found_is_named(tmp_path: Path) -> None:
    python(tmp_path / "python3", "3.9.2")
    python(tmp_path / "python3.10", "3.10.14")
    python(tmp_path / "python3.13", "3.13.5")
    program(tmp_path / "python3.12", "exit 127")

    expected = (
        "Python 3.11 to 3.14 is needed. On PATH there is:\n"
        f"  {tmp_path}/python3 is 3.9.2\n"
        f"  {tmp_path}/python3.10 is 3.10.14\n"
        f"  {tmp_path}/python3.12 does not run\n"
        f"  {tmp_path}/python3.13 is 3.13.5, without venv (on Debian and Ubuntu: apt install python3.13-venv)\n"
    )
    assert choose(tmp_path) == (1, "", expected)


def test_make_stops_with_that_message_and_leaves_no_virtualenv(tmp_path: Path) -> None:
    programs, venv = tmp_path / "programs", tmp_path / "venv"
    python(programs / "python3", "3.9.2")
    (programs / "sh").symlink_to("/bin/sh")

    made = subprocess.run(
        [str(shutil.which("make")), f"VENV={venv}", f"{venv}/.installed"],
        cwd=REPOSITORY,
        env={"PATH": str(programs)},
        capture_output=True,
        text=True,
        check=False,
    )

    assert made.returncode == 2
    assert made.stdout == ""
    assert made.stderr.startswith(f"Python 3.11 to 3.14 is needed. On PATH there is:\n  {programs}/python3 is 3.9.2\n")
    assert not venv.exists()
