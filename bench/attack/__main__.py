"""What a buyer notices while a stranger attacks, with the web process confined to 512 MiB.

`make bench B=attack`. One web process with production's limits serves a buyer who asks steadily for pages and cards,
first alone, then beside each attack, then alone again. An open loop: a late answer counts from when it was due. Printed
are the buyer's p95 of both, the most memory that the process ever had, and what the attacker was answered.
"""

import argparse
import asyncio
import itertools
import os
import socket
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from bench.attack.confinement import Confined, run_confined
from bench.attack.scenarios import SCENARIOS, Scenario
from bench.attack.traffic import HOST, Seen, ask_steadily, attack
from bench.shop import CATEGORIES, prepare
from gateway.mongo import topology
from gateway.mongo.client import client, database
from gateway.mongo.routing import ROUTING
from gateway.redis.clients import cache_client

LIMIT_BYTES = 512 * 1024 * 1024
STARTING_SECONDS = 60.0
# Production's, where development has none to speak of.
PRODUCTION = {"GRAPHQL_BUCKET_POINTS": "10000", "GRAPHQL_BUCKET_RESTORE": "500", "LOG_FORMAT": "json"}
PAGE = "query Page($c: String!) { products(filter: {category: $c}, first: 24) { nodes { id name price { amount } } } }"
CARD = 'query Card { product(productId: "BENCH-7") { name description price { amount } stock { available } } }'


def main() -> None:
    arguments = _arguments()
    try:
        topology.apply(database())
        ROUTING.refresh(client(), database().name)
        prepare("uniform", 1)
        for scenario in SCENARIOS:
            if arguments.only in scenario.name:
                _measure(scenario, seconds=arguments.seconds, rate=arguments.rate, attacks=arguments.attacks)
    finally:
        client().drop_database(database().name)
        cache_client().flushdb()


def _measure(scenario: Scenario, *, seconds: float, rate: float, attacks: float) -> None:
    """Run one attack on a web process of its own, so that the memory is this attack's alone."""
    cache_client().flushdb()
    port = _free_port()
    command = [sys.executable, "-m", "uvicorn", "gateway.asgi:application", "--no-proxy-headers", "--port", str(port)]
    with tempfile.TemporaryDirectory() as directory:
        log = Path(directory) / "web.log"
        with run_confined(command, LIMIT_BYTES, {**os.environ, **PRODUCTION}, log) as web:
            _wait_for(port, web, log)
            asyncio.run(_run(scenario, port, web, seconds=seconds, rate=rate, attacks=attacks))


async def _run(scenario: Scenario, port: int, web: Confined, *, seconds: float, rate: float, attacks: float) -> None:
    await ask_steadily(port, _buyer(), rate=rate, seconds=2)  # connections and caches of a process that has just begun
    calm = await ask_steadily(port, _buyer(), rate=rate, seconds=seconds)
    with ProcessPoolExecutor(1) as elsewhere:
        attacker = asyncio.get_running_loop().run_in_executor(
            elsewhere, attack, port, scenario.content, scenario.at_once, attacks, seconds
        )
        attacked = await ask_steadily(port, _buyer(), rate=rate, seconds=seconds)
        answered = await attacker
    after = await ask_steadily(port, _buyer(), rate=rate, seconds=seconds)
    calm.seconds += after.seconds
    calm.statuses += after.statuses
    _report(scenario, web, calm, attacked, answered)


def _report(scenario: Scenario, web: Confined, calm: Seen, attacked: Seen, attacker: Seen) -> None:
    ratio = attacked.p95() / calm.p95()
    peak = f"{web.peak_bytes() / 1024**2:.0f} MiB" if web.is_alive() else "killed"
    sys.stdout.write(
        f"{scenario.name:32} p95 calm {calm.p95() * 1000:5.0f} ms, "
        f"attacked {attacked.p95() * 1000:6.0f} ms ({ratio:4.1f} ×), "
        f"peak {peak}, buyer {dict(attacked.statuses)}, attacker {dict(attacker.statuses)}\n"
    )


def _buyer() -> Iterator[object]:
    pages = ({"query": PAGE, "variables": {"c": category}} for category in itertools.cycle(CATEGORIES))
    return itertools.chain.from_iterable(zip(pages, itertools.repeat({"query": CARD})))


def _wait_for(port: int, web: Confined, log: Path) -> None:
    deadline = time.monotonic() + STARTING_SECONDS
    while time.monotonic() < deadline and web.is_alive():
        try:
            socket.create_connection((HOST, port)).close()
        except OSError:
            time.sleep(0.1)
        else:
            return
    sys.exit(f"the web server does not answer:\n{log.read_text()}")


def _free_port() -> int:
    with socket.socket() as free:
        free.bind((HOST, 0))
        return int(free.getsockname()[1])


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="A buyer's p95 and the process's memory under attack.")
    parser.add_argument("--seconds", type=float, default=20.0, help="of each phase: calm, attacked, calm")
    parser.add_argument("--rate", type=float, default=10.0, help="requests a second of the buyer")
    parser.add_argument("--attacks", type=float, default=100.0, help="requests a second of the attacker, at most")
    parser.add_argument("--only", default="", help="part of the name of an attack")
    return parser.parse_args()


if __name__ == "__main__":
    main()
