"""What the compose file, the Dockerfile and the settings say, in a form that tests can compare.

`RecordedSettings` runs gateway/settings.py with a reader that notes what is asked for, so that nothing is listed twice.
"""

import json
import re
from functools import cache
from pathlib import Path
from runpy import run_path
from typing import Any, NamedTuple, cast

import environs
import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
OUR_IMAGE = "mobile-world-gateway"
JOBS = {"mongo-init", "cassandra-init"}
"""Services of our image, but only for its Python and drivers: they make the users, the gateway does not run in them."""
ONE_SHOT = {*JOBS, "setup"}
# For servers whose port is not in their command.
DEFAULT_PORTS = {"cassandra": 9042, "proxy": 8443}

Service = dict[str, Any]


class Variable(NamedTuple):
    kind: str
    default: object


class RecordedSettings:
    """Stands in for `environs.Env`: an empty environment except for GATEWAY_ENV, and a note of every variable read."""

    def __init__(self, environment: str) -> None:
        self.environment = environment
        self.variables: dict[str, Variable] = {}

    def __getattr__(self, kind: str) -> Any:
        def read(name: str, default: object = None, **_: Any) -> object:
            self.variables[name] = Variable(kind, default)
            return self.environment if name == "GATEWAY_ENV" else default

        return read

    def read_env(self, *_: Any, **__: Any) -> None:
        """The addresses of the local stack are none of the defaults."""


@cache
def settings_variables(environment: str = "production") -> dict[str, Variable]:
    recorder = RecordedSettings(environment)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(environs, "Env", lambda: recorder)
        run_path(str(ROOT / "gateway" / "settings.py"))
    return recorder.variables


@cache
def compose() -> dict[str, Any]:
    return cast("dict[str, Any]", yaml.safe_load((ROOT / "docker-compose.yml").read_text()))


def services() -> dict[str, Service]:
    return cast("dict[str, Service]", compose()["services"])


def our_services() -> dict[str, Service]:
    return {name: service for name, service in services().items() if service["image"] == OUR_IMAGE and name not in JOBS}


def filled(environment: dict[str, str], secrets: dict[str, str]) -> dict[str, str]:
    """With what Compose puts in for `${NAME…}`: the value, or the default that the file names."""

    def value(match: re.Match[str]) -> str:
        name, _, default = match[1].partition(":-")
        return secrets.get(name.partition(":?")[0], default)

    return {name: re.sub(r"\$\{([^}]+)\}", value, text) for name, text in environment.items()}


def our_environment() -> dict[str, str]:
    return cast("dict[str, str]", services()["web"]["environment"])


@cache
def dockerfile() -> list[tuple[str, str]]:
    """Instruction and argument of every line, continuations joined, comments left out."""
    text = re.sub(r"\\\n\s*", "", (ROOT / "Dockerfile").read_text())
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    return [(line.split(maxsplit=1)[0], line.split(maxsplit=1)[1]) for line in lines]


def dockerfile_arguments(instruction: str) -> list[str]:
    return [argument for found, argument in dockerfile() if found == instruction]


def web_command() -> list[str]:
    """What the image runs by default."""
    return cast("list[str]", json.loads(dockerfile_arguments("CMD")[-1]))


def option(command: list[str], name: str) -> str:
    return command[command.index(name) + 1]


def listening_port(service_name: str) -> int:
    service = services()[service_name]
    if service["image"] == OUR_IMAGE:
        return int(option(web_command(), "--port"))
    if service_name in DEFAULT_PORTS:
        return DEFAULT_PORTS[service_name]
    return int(option(service["command"], "--port"))


def addresses_that_listen(names: set[str]) -> set[tuple[str, int]]:
    return {(name, listening_port(name)) for name in names}


def replica_set(text: str) -> tuple[str, set[tuple[str, int]]]:
    """`shard1/shard1a:27018,…` as a name and addresses."""
    name, members = text.split("/")
    hosts = (member.rsplit(":", 1) for member in members.split(","))
    return name, {(host, int(port)) for host, port in hosts}


def members_of(replica_set_name: str) -> set[str]:
    return {
        name
        for name, service in services().items()
        if "--replSet" in service.get("command", []) and option(service["command"], "--replSet") == replica_set_name
    }
