"""Web servers of the tests' own: real ones, with some settings changed."""

import json
import re
import time
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import pytest


class Server(NamedTuple):
    client: httpx.Client
    log: Path

    def logged(self, event: str) -> list[dict[str, Any]]:
        lines = [json.loads(line) for line in self.log.read_text().splitlines() if line.startswith("{")]
        return [line for line in lines if line["event"] == event]

    def process(self) -> int:
        """Its id, as uvicorn says it."""
        (found,) = re.findall(r"Started server process \[(\d+)\]", self.log.read_text())
        return int(found)


def answering(client: httpx.Client, log: Path) -> httpx.Client:
    """The same client, once its server answers."""
    for _ in range(1200):
        try:
            client.get("/healthz")
        except httpx.ConnectError:
            time.sleep(0.1)
        else:
            return client
    pytest.fail(f"the web server does not answer:\n{log.read_text()}")
