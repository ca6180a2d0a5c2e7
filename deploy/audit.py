"""`python -m deploy.audit FILE`: known vulnerabilities of the packages that a lock file pins, by pip-audit.

Fails when there are any. Without the data, which comes from PyPI or OSV by the network, it says in one line that
nothing was audited and succeeds: a machine without a network must be able to lint.
"""

import json
import subprocess
import sys
from dataclasses import dataclass, field
from typing import Any

# In this order: PyPI is where the packages come from, so that it is most likely to be reached.
SERVICES = ("pypi", "osv")
# A hundred small questions; a service that needs longer than this for them is away.
SECONDS = 60
REQUEST_SECONDS = 5


@dataclass(frozen=True)
class Audit:
    known: int = 0
    """Packages of which the service could tell something."""
    unknown: list[str] = field(default_factory=list)
    findings: list[str] = field(default_factory=list)

    @classmethod
    def parse(cls, report: dict[str, Any]) -> "Audit":
        packages = report["dependencies"]
        told = [package for package in packages if "skip_reason" not in package]
        return cls(
            known=len(told),
            unknown=[package["name"] for package in packages if "skip_reason" in package],
            findings=[
                f"{package['name']} {package['version']}: {found['id']}, cured in {found['fix_versions'] or 'none'}"
                for package in told
                for found in package["vulns"]
            ],
        )


def ask(service: str, lock_file: str) -> Audit:
    """What the service knows; nothing when it cannot be reached."""
    command = [
        *(sys.executable, "-m", "pip_audit", "--requirement", lock_file, "--require-hashes", "--disable-pip"),
        *("--vulnerability-service", service, "--timeout", str(REQUEST_SECONDS)),
        *("--format", "json", "--progress-spinner", "off"),
    ]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=SECONDS)
        return Audit.parse(json.loads(done.stdout))
    except (subprocess.TimeoutExpired, ValueError):
        return Audit()


def main(lock_file: str) -> int:
    for service in SERVICES:
        audit = ask(service, lock_file)
        if audit.known:
            return report(audit, service)
    print(f"audit: NOT DONE: neither {' nor '.join(SERVICES)} gives data about vulnerabilities here")
    return 0


def report(audit: Audit, service: str) -> int:
    beside = f", nothing is known of {', '.join(audit.unknown)}" if audit.unknown else ""
    print(f"audit: {audit.known} packages asked of {service}, vulnerabilities: {len(audit.findings)}{beside}")
    for finding in audit.findings:
        print(f"  {finding}")
    return 1 if audit.findings else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
