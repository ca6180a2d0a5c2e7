"""How many requests a second this machine holds within the shop's targets, and how long each kind takes at a rate.

`make bench B=load`. A web server with a process per core, and a Celery worker and beat beside it, serve visitors who
come at a fixed rate, whether or not earlier ones were answered; a late answer counts from when its request was due. The
rate grows step by step. It holds as long as p95 of each kind is within its target, nothing fails and nothing is left
behind; a step that does not hold is tried once more. Stores, workers, web and visitors share the cores.
"""

import argparse
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from pathlib import Path

from bench.load.buyers import KINDS, Buyers
from bench.load.steps import Seen, send
from bench.peers.rounds import client_process
from bench.peers.shop import empty, filled
from bench.web import VARIABLES, python_told, web_server
from gateway.redis.clients import redis_client

# From one step to the next.
GROWTH = 1.3
# What has been answered so late after the last request was due is a queue, not a slow answer.
BEHIND_SECONDS = 1.0
# All guests come from one address; production would think of one who reserves the whole shop.
UNBOUNDED = {
    "ORDER_UNPAID_PER_ADDRESS": "1000000",
    "ORDER_UNPAID_PIECES_PER_ADDRESS": "1000000",
    "SESSIONS_PER_CLIENT_HOUR": "1000000",
}


def main() -> None:
    arguments = _arguments()
    shop = filled(arguments.products)
    _say(python_told())
    try:
        with (
            _workers(),
            web_server(workers=arguments.processes, variables=UNBOUNDED) as web,
            client_process(os.sched_getaffinity(0)) as visitors,
        ):
            buyers = Buyers(web.port, shop)
            _step(web.port, buyers, visitors, rate=arguments.rate, seconds=arguments.warm)
            if arguments.only:
                _report(arguments.rate, _step(web.port, buyers, visitors, arguments.rate, arguments.seconds))
            else:
                _climb(web.port, buyers, visitors, arguments.rate, arguments.seconds)
    finally:
        if not arguments.keep:
            empty()


def _climb(port: int, buyers: Buyers, visitors: Executor, rate: float, seconds: float) -> None:
    """Step by step to the first rate that does not hold."""
    held = None
    while True:
        for _ in range(2):
            seen = _step(port, buyers, visitors, rate, seconds)
            _report(rate, seen)
            if _holds(seen):
                break
        else:
            break
        held, rate = rate, rate * GROWTH
    _say(f"\nholds {held:.0f} requests a second" if held else "\ndoes not hold the first rate")


def _step(port: int, buyers: Buyers, visitors: Executor, rate: float, seconds: float) -> Seen:
    # The same kinds in the same order in every run.
    chance = random.Random(7)  # noqa: S311
    shares = [kind.share for kind in KINDS.values()]
    kinds = chance.choices(list(KINDS), shares, k=round(rate * seconds))
    return visitors.submit(send, port, kinds, buyers.requests(kinds), rate).result()


def _holds(seen: Seen) -> bool:
    late = any(kind.target_ms and seen.quantile_ms(name, 0.95) > kind.target_ms for name, kind in KINDS.items())
    return not late and not seen.failed and seen.behind_seconds < BEHIND_SECONDS


def _report(rate: float, seen: Seen) -> None:
    verdict = "holds" if _holds(seen) else "does not hold"
    _say(f"\n{rate:.0f} a second {verdict}: {len(seen.failed)} failed, last answer {seen.behind_seconds:.2f} s late")
    for name, kind in KINDS.items():
        p50, p95, p99 = (seen.quantile_ms(name, share) for share in (0.5, 0.95, 0.99))
        target = f"target {kind.target_ms:.0f}" if kind.target_ms else ""
        _say(f"  {name:9}{len(seen.seconds[name]):6}  p50 {p50:7.1f}  p95 {p95:7.1f}  p99 {p99:7.1f} ms  {target}")


@contextmanager
def _workers() -> Iterator[None]:
    """A worker and beat, as `make run` starts them."""
    redis_client().delete("celery", *redis_client().scan_iter("sync:*"), *redis_client().scan_iter("soon:*"))
    celery = [sys.executable, "-m", "celery", "--quiet", "-A", "gateway"]
    environment = {**os.environ, **VARIABLES, "LOG_LEVEL": "WARNING"}
    with tempfile.TemporaryDirectory() as directory, (Path(directory) / "log").open("wb") as log:
        schedule = str(Path(directory) / "schedule")
        started = [
            subprocess.Popen(command, env=environment, stdout=log, stderr=log)  # noqa: S603 - our own
            for command in ([*celery, "worker"], [*celery, "beat", "--schedule", schedule])
        ]
        try:
            yield
        finally:
            for process in started:
                process.terminate()
            for process in started:
                process.wait()


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Latencies at a fixed rate, and the highest rate within the targets.")
    parser.add_argument("--rate", type=float, default=20.0, help="requests a second of the first step")
    parser.add_argument("--only", action="store_true", help="this rate alone, whether or not it holds")
    parser.add_argument("--seconds", type=float, default=15.0, help="of each step")
    parser.add_argument("--warm", type=float, default=8.0, help="of a step before the first")
    parser.add_argument("--processes", type=int, default=0, help="of the web server; 0: one per core")
    parser.add_argument("--products", type=int, default=20_000)
    parser.add_argument("--keep", action="store_true", help="leave the shop, for the next run")
    return parser.parse_args()


if __name__ == "__main__":
    main()
