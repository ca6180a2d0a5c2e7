import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from deploy.local.errors import StackError
from deploy.local.layout import REPOSITORY
from deploy.local.process import lock

HOLD = """
import sys, time; from pathlib import Path; from deploy.local.process import lock
with lock.exclusive(Path(sys.argv[1]), note="by somebody else", when_taken=print):
    print("held", flush=True)
    time.sleep(60)
"""


def refuse(note: str) -> None:
    raise StackError(f"held {note}")


def test_a_lock_tells_who_holds_it_and_is_free_once_its_holder_was_killed(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    command = [sys.executable, "-c", HOLD, str(path)]
    with subprocess.Popen(command, cwd=REPOSITORY, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout
        assert other.stdout.readline() == "held\n"

        assert lock.holder(path) == "by somebody else"
        with pytest.raises(StackError, match="held by somebody else"), lock.exclusive(path, note="", when_taken=refuse):
            pytest.fail("the lock is not free")

        other.kill()

    assert lock.holder(path) is None
    with lock.exclusive(path, note="by us", when_taken=refuse):
        assert lock.holder(path) == "by us"


def test_whoever_only_looks_does_not_make_the_lock_seem_taken(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    done = threading.Event()

    def look() -> None:
        while not done.is_set():
            lock.holder(path)
            time.sleep(0.002)

    looking = threading.Thread(target=look)
    looking.start()
    taken = 0
    try:
        for _ in range(50):
            with lock.exclusive(path, note="", when_taken=refuse):
                taken += 1
    finally:
        done.set()
        looking.join()
    assert taken == 50


def test_users_are_counted_together(tmp_path: Path) -> None:
    path = tmp_path / "users"

    with lock.shared(path), lock.shared(path):
        assert lock.holder(path) is not None

    assert lock.holder(path) is None
