"""The audit of packages fails on what is known, and says so where nothing is."""

import subprocess
import sys

import pytest

from deploy.audit import Audit, report
from deploy.tests.descriptions import ROOT

# As pip-audit writes it.
CLEAN = {"name": "redis", "version": "8.1.0", "vulns": []}
SKIPPED = {"name": "ours", "skip_reason": "Dependency not found on PyPI and could not be audited: ours (1.0)"}
VULNERABLE = {
    "name": "django",
    "version": "2.0",
    "vulns": [{"id": "PYSEC-2018-6", "fix_versions": ["2.0.8"], "aliases": ["CVE-2018-14574"], "description": "…"}],
}


def test_vulnerable_package_fails_and_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    audit = Audit.parse({"dependencies": [CLEAN, VULNERABLE], "fixes": []})

    assert report(audit, "pypi") == 1
    assert capsys.readouterr().out.splitlines() == [
        "audit: 2 packages asked of pypi, vulnerabilities: 1",
        "  django 2.0: PYSEC-2018-6, cured in ['2.0.8']",
    ]


def test_package_that_nothing_is_known_of_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    audit = Audit.parse({"dependencies": [CLEAN, SKIPPED], "fixes": []})

    assert report(audit, "pypi") == 0
    assert capsys.readouterr().out == (
        "audit: 1 packages asked of pypi, vulnerabilities: 0, nothing is known of ours\n"
    )


def test_report_without_any_data_is_no_audit() -> None:
    assert Audit.parse({"dependencies": [SKIPPED, SKIPPED], "fixes": []}).known == 0


def test_lock_file_is_audited_or_the_lack_of_data_is_told() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "deploy.audit", "requirements-dev.txt"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )

    first, *findings = done.stdout.splitlines()
    assert first.startswith("audit: ")
    assert (done.returncode, findings == []) in {(0, True), (1, False)}
