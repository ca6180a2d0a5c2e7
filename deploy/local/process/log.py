"""The logs of processes: the end of one, and several growing ones as one."""

import json
from collections import deque
from pathlib import Path
from typing import TextIO

WIDTH = 9
COLOURS = ("36", "35", "33", "32")  # cyan, magenta, yellow, green
TAIL_LINES = 20
TAIL_WIDTH = 300


def tail(log: Path, lines: int = TAIL_LINES) -> list[str]:
    """The last lines of a log, MongoDB's JSON made readable."""
    try:
        with log.open(encoding="utf-8", errors="replace") as file:
            return [_readable(line.rstrip("\n"))[:TAIL_WIDTH] for line in deque(file, maxlen=lines)]
    except FileNotFoundError:
        return ["(there is no such file)"]


def _readable(line: str) -> str:
    try:
        entry = json.loads(line)
        attributes = json.dumps(entry["attr"], ensure_ascii=False) if "attr" in entry else ""
        return f"{entry['t']['$date']} {entry['s']} {entry['c']} {entry['msg']} {attributes}".rstrip()
    except (ValueError, KeyError, TypeError):
        return line


class Follower:
    """Prints what is added to several logs from now on, each line under the name of its process."""

    def __init__(self, logs: dict[str, Path], stream: TextIO) -> None:
        self._stream = stream
        self._positions = {name: log.stat().st_size if log.exists() else 0 for name, log in logs.items()}
        self._logs = logs
        self._prefixes = {
            name: f"\x1b[{colour}m{name:<{WIDTH}}\x1b[0m" if stream.isatty() else f"{name:<{WIDTH}}"
            for name, colour in zip(logs, COLOURS, strict=False)
        }

    def emit(self) -> bool:
        """Print the whole lines added since the last call; whether there were any."""
        found = False
        for name, log in self._logs.items():
            for line in self._added(name, log):
                self._stream.write(f"{self._prefixes[name]}{line}\n")
                found = True
        if found:
            self._stream.flush()
        return found

    def _added(self, name: str, log: Path) -> list[str]:
        if not log.exists():
            return []
        if log.stat().st_size < self._positions[name]:  # rotated
            self._positions[name] = 0
        with log.open("rb") as file:
            file.seek(self._positions[name])
            whole, newline, _ = file.read().rpartition(b"\n")
        self._positions[name] += len(whole) + len(newline)
        return whole.decode("utf-8", errors="replace").splitlines() if newline else []
