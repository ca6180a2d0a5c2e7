"""Programs on PATH, taken only in a version that suits."""

import re
import shutil
import subprocess
from collections.abc import Container
from pathlib import Path

ANSWER_SECONDS = 30.0


def find(name: str, *, path: str | None, version: str, majors: Container[int]) -> Path | None:
    """The program, if its major version, found in its answer to `--version` by the pattern, is one of `majors`."""
    found = shutil.which(name, path=path)
    return Path(found) if found and _major(found, version) in majors else None


def _major(program: str, pattern: str) -> int | None:
    try:
        answer = subprocess.run(
            [program, "--version"], capture_output=True, text=True, check=False, timeout=ANSWER_SECONDS
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    match = re.search(pattern, answer.stdout)
    return int(match[1]) if match else None
