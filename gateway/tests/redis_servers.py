"""Redis servers of a test's own, to be filled, suspended and killed."""

import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from redis import Redis

from deploy.local.launch import Launch
from deploy.local.process.ports import HOST
from deploy.local.progress import Progress
from deploy.local.servers.redis import answers, locate


class RedisServer(NamedTuple):
    url: str
    process: subprocess.Popen[bytes]
    client: Redis

    def fill(self) -> None:
        """From here on it refuses whatever needs memory, as one that is full under `noeviction` does."""
        self.client.config_set("maxmemory-policy", "noeviction")
        self.client.config_set("maxmemory", 1)

    def empty(self) -> None:
        self.client.config_set("maxmemory", 0)


@contextmanager
def redis_servers(home: Path) -> Iterator[Callable[..., RedisServer]]:
    """A function that starts one with these options, which keeps nothing on disk. All of them end in the end."""
    with Progress() as progress:
        binary = locate(Launch(progress))
    servers: list[RedisServer] = []

    def start(*options: str) -> RedisServer:
        port = free_port()
        process = subprocess.Popen(
            [binary, "--bind", HOST, "--port", str(port), "--save", "", "--appendonly", "no", *options],
            cwd=home,
            stdout=subprocess.DEVNULL,
        )
        url = f"redis://{HOST}:{port}/0"
        servers.append(RedisServer(url, process, Redis.from_url(url, decode_responses=True)))
        while not answers(port):
            time.sleep(0.05)
        return servers[-1]

    try:
        yield start
    finally:
        for server in servers:
            server.client.close()
            server.process.kill()
            server.process.wait()


def free_port() -> int:
    with socket.socket() as free:
        free.bind((HOST, 0))
        port: int = free.getsockname()[1]
        return port
