"""One server of the stack: how it is run and where it listens. This is what stack.json holds."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from deploy.local.layout import Layout
from deploy.local.process.ports import HOST, PortBook

Kind = Literal["mongodb", "redis", "cache", "cassandra"]
KINDS: tuple[Kind, ...] = ("mongodb", "redis", "cache", "cassandra")

# The variable through which each kind's address reaches the gateway, and through which the user gives an outside one.
VARIABLE: dict[Kind, str] = {
    "mongodb": "MONGODB_URI",
    "redis": "REDIS_URL",
    "cache": "REDIS_CACHE_URL",
    "cassandra": "CASSANDRA_CONTACT_POINTS",
}


@dataclass(frozen=True)
class Server:
    name: str
    kind: Kind
    port: int
    command: tuple[str, ...]
    environment: dict[str, str]
    host: str = HOST


@dataclass(frozen=True)
class Part:
    """The servers of one kind, the address under which the gateway finds them, and what else it is told about them."""

    servers: list[Server]
    address: str
    variables: dict[str, str] = field(default_factory=dict)


# What remains to be said once the binaries are found: where the data lies and which ports are free.
Blueprint = Callable[[Layout, PortBook], Part]
