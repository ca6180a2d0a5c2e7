"""What deploy/compose/secrets.sh makes, in a directory of the test's own."""

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

from deploy.tests.descriptions import ROOT

SCRIPT = ROOT / "deploy" / "compose" / "secrets.sh"


@dataclass(frozen=True)
class Secrets:
    env_file: Path
    directory: Path

    @property
    def values(self) -> dict[str, str]:
        lines = self.env_file.read_text().splitlines()
        return dict(line.split("=", 1) for line in lines)


def make_secrets(directory: Path) -> Secrets:
    made = Secrets(directory / ".env", directory / "secrets")
    environment = {**os.environ, "ENV_FILE": str(made.env_file), "SECRETS_DIR": str(made.directory)}
    subprocess.run([SCRIPT], check=True, capture_output=True, env=environment)
    return made
