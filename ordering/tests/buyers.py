"""Buyers in processes of their own, to be killed: run as `python -m ordering.tests.buyers <what>` on the test database.

`storm`: processes that buy for many owners, again and again, and are started anew when they are killed.
`steps`: reads names of steps, and for each lets a child of its own check out and kill itself -9 there.
"""

import os
import random
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import django

django.setup()

from cart.tests.shop import CUSTOMER  # noqa: E402
from gateway.domain.errors import DomainError  # noqa: E402 - these need the apps loaded
from ordering.checkout import checkout  # noqa: E402
from ordering.tests.shop import buy, buyer  # noqa: E402

BUYERS = 60
DEVICES = 2
WORKERS = 4


def storm(answers: Path) -> None:
    """Fork the workers, say their pids, and replace each that is killed until all have ended by themselves."""
    working: dict[int, int] = {}
    to_start = list(range(WORKERS))
    while working or to_start:
        for worker in to_start:
            pid = os.fork()
            if pid == 0:
                _buy_for_all(worker, answers)
                os._exit(0)
            working[pid] = worker
            os.write(sys.stdout.fileno(), f"{pid}\n".encode())
        pid, status = os.wait()
        worker = working.pop(pid)
        to_start = [worker] if os.WIFSIGNALED(status) else []


def _buy_for_all(worker: int, answers: Path) -> None:
    """Each buyer has several devices, and a device that got its answer asks now and then again."""
    chance = random.Random()  # noqa: S311 - which buyer is asked for when
    mine = [number for number in range(BUYERS) for device in range(DEVICES) if (number + device) % WORKERS == worker]
    chance.shuffle(mine)
    with answers.open("ab", buffering=0) as told:
        for number in mine:
            for _ in range(chance.choice((1, 1, 2))):
                try:
                    told.write(f"{number} {buy(buyer(number)).order['_id']}\n".encode())
                except DomainError as error:
                    told.write(f"{number} {next(reason.code.value for reason in error)}\n".encode())


def steps() -> None:
    """Django starts once for all of the children; each says how it ended."""
    for text in sys.stdin:
        pid = os.fork()
        if pid == 0:
            _die_at(text.strip())
            os._exit(0)
        _, status = os.waitpid(pid, 0)
        os.write(sys.stdout.fileno(), f"{os.waitstatus_to_exitcode(status)}\n".encode())


def _die_at(step: str) -> None:
    """One checkout of the customer's cart that ends itself at the step."""
    name, when = STEPS[step]
    setattr(checkout, name, _fatal(getattr(checkout, name), when))
    buy(CUSTOMER)


def _fatal(function: Callable[..., Any], when: str) -> Callable[..., Any]:
    def dying(*args: Any, **kwargs: Any) -> Any:
        result = function(*args, **kwargs) if when == "after" else None
        os.kill(os.getpid(), signal.SIGKILL)
        return result

    return dying


STEPS: dict[str, tuple[str, str]] = {
    "before reserve": ("reserve", "before"),
    "after reserve": ("reserve", "after"),
    "after refusal": ("release", "before"),
    "inside commit, cart taken": ("take_cart", "after"),
    "inside commit, order inserted": ("_commit", "after"),
    "after commit": ("in_transaction", "after"),
    "before settle": ("settle_soon", "before"),
}


def last_orders(answers: Path) -> dict[int, set[str]]:
    """Which orders each buyer was told of."""
    told: dict[int, set[str]] = {}
    for text in answers.read_text().splitlines():
        number, _, answer = text.partition(" ")
        if len(answer) == 36:
            told.setdefault(int(number), set()).add(answer)
    return told


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["storm", path]:
            storm(Path(path))
        case ["steps"]:
            steps()
