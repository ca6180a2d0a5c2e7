"""A frontend's programs: compiled by the tools that frontends use, run by Node against a real web server."""

import json
import os
import re
import subprocess
from pathlib import Path

HERE = Path(__file__).parent
TOOLS = (
    ("@graphql-codegen/cli/cjs/bin.js", "--config", "codegen.json"),
    ("relay-compiler/cli.js", "relay.config.json"),
    ("typescript/bin/tsc",),
)


class Frontend:
    """Programs of `frontend/`, run by Node: each is a list of tests of its own."""

    def __init__(self, directory: Path, node: Path, url: str) -> None:
        self.directory = directory
        self._node = node
        self._url = url

    def passes(self, program: str, **facts: str) -> None:
        """Every test of the program passes. The facts are in its `shop`, beside the address of the endpoint."""
        told = json.dumps({"url": self._url, **facts})
        done = self._run("--test", "--test-reporter=tap", "--import", "./relay_tags.mjs", program, SHOP=told)
        assert re.search(r"^# pass [1-9]", done, re.MULTILINE), done
        assert re.search(r"^# skipped 0$", done, re.MULTILINE), done

    def compile(self) -> None:
        """Operations become typed modules, and all programs fit them."""
        for tool, *arguments in TOOLS:
            self._run(str(self.directory / "node_modules" / tool), *arguments)

    def _run(self, *command: str, **variables: str) -> str:
        done = subprocess.run(
            [self._node, *command],
            cwd=self.directory,
            env={**os.environ, **variables},
            capture_output=True,
            text=True,
            check=False,
            timeout=90,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout
