"""A browser for the tests: the installed one, else the fetched one, else a plain word that there is none."""

import platform
import subprocess
from pathlib import Path

import pytest

from deploy.local.errors import StackError
from deploy.local.launch import Launch
from deploy.local.progress import Progress
from deploy.node.chromium import PACKAGE, chromium


def installed(folder: Path, name: str, version: str) -> Path:
    program = folder / name
    program.write_text(f"#!/bin/sh\necho '{version}'\n")
    program.chmod(0o755)
    return program


def test_installed_one_is_taken(tmp_path: Path) -> None:
    program = installed(tmp_path, "google-chrome", "Google Chrome 140.0.7339.80")

    found = chromium(Launch(Progress(), {"PATH": str(tmp_path), "HOME": str(tmp_path)}))

    assert (found.program, dict(found.environ)) == (program, {})


def test_where_there_is_none_to_fetch_the_reason_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    installed(tmp_path, "chromium", "Chromium 90.0.4430.93")
    monkeypatch.setattr(platform, "machine", lambda: "riscv64")

    with pytest.raises(StackError) as refusal:
        chromium(Launch(Progress(), {"PATH": str(tmp_path), "HOME": str(tmp_path)}))

    reason = f"there is no chromium-{PACKAGE.version} to fetch for Linux riscv64: install Chromium or Chrome."
    assert str(refusal.value) == reason


def test_fetched_one_runs() -> None:
    found = chromium(Launch(Progress()))

    answer = subprocess.run(
        [found.program, "--version"], env=dict(found.environ), capture_output=True, text=True, check=True, timeout=30
    )

    assert "Chrom" in answer.stdout
