"""The beginning of a process that a command spawns for its work."""

import os
import signal
from multiprocessing import parent_process
from threading import Thread


def follow_parent() -> None:
    """Leave Ctrl-C to the parent, which alone decides what it means, and end when it does.

    Ctrl-C reaches the whole process group. A parent that is killed -9 tells nobody, and its workers would wait for work
    for ever.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = parent_process()
    if parent:
        parent.join()
        os._exit(1)
