"""Detached processes, found again by their pid files; a pid that was recycled is never touched."""

import json
import os
import signal
import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from deploy.local.errors import StackError
from deploy.local.layout import Layout, write_atomically

# Put into the environment of every process with its pid file as value: finds processes whose pid file was lost.
MARK = "MOBILE_WORLD_PID_FILE"
POLL_SECONDS = 0.02
# Anything that ignores SIGKILL for this long hangs in the kernel (a dead disk or network mount).
KILL_SECONDS = 10.0
LOG_KEEP_BYTES = 20 * 1024**2


@dataclass(frozen=True)
class Identity:
    """Which process it is: the pid together with its start, in clock ticks since boot."""

    pid: int
    started: int

    @property
    def uptime_seconds(self) -> float:
        since_boot = float(Path("/proc/uptime").read_text(encoding="ascii").split()[0])
        return since_boot - self.started / os.sysconf("SC_CLK_TCK")


class Process:
    """A process in a session of its own, which lives on when the launcher ends."""

    def __init__(self, name: str, *, pid_file: Path, log: Path) -> None:
        self.name = name
        self.pid_file = pid_file
        self.log = log

    @classmethod
    def of(cls, layout: Layout, name: str) -> Self:
        """The process of this name in a root."""
        return cls(name, pid_file=layout.pid_file(name), log=layout.log_file(name))

    @property
    def identity(self) -> Identity | None:
        """The running process, or None; a stale pid file counts for nothing."""
        remembered = self._remembered()
        if remembered is None or _stat(remembered.pid) is None:
            return None
        return remembered if _identity_of(remembered.pid) == remembered else None

    @property
    def suspended(self) -> bool:
        identity = self.identity
        stat = _stat(identity.pid) if identity else None
        return stat is not None and stat.state == "T"

    def spawn(self, command: Sequence[str], environment: Mapping[str, str]) -> None:
        """Start it, output appended to its log. It must not be running."""
        self.log.parent.mkdir(parents=True, exist_ok=True)
        if self.log.exists() and self.log.stat().st_size > LOG_KEEP_BYTES:
            self.log.replace(self.log.with_suffix(".log.1"))
        pid = os.posix_spawnp(
            command[0],
            tuple(command),
            {**environment, MARK: str(self.pid_file.absolute())},
            file_actions=[
                (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
                (os.POSIX_SPAWN_OPEN, 1, str(self.log), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644),
                (os.POSIX_SPAWN_DUP2, 1, 2),
                # A server outlives whoever called us, and would keep their locks held and their pipes open.
                *((os.POSIX_SPAWN_CLOSE, descriptor) for descriptor in _inherited_descriptors()),
            ],
            setsid=True,
            # Python ignores these two, and what is ignored is inherited.
            setsigdef=[signal.SIGPIPE, signal.SIGXFSZ],
        )
        self._remember(_identity_of(pid))

    def adopt(self, pid: int) -> None:
        """Write the pid file anew for a process of ours that lost it."""
        self._remember(_identity_of(pid))

    def send(self, number: signal.Signals) -> None:
        """Signal the process; nothing happens when it is gone."""
        if identity := self.identity:
            _signal(identity.pid, number)

    def kill(self) -> None:
        """SIGKILL to the process and its children; returns when they are gone."""
        if identity := self.identity:
            _signal_group(identity.pid, signal.SIGKILL)
            self.wait_gone(time.monotonic() + KILL_SECONDS)
            if self.identity:
                raise StackError(f"{self.name} (pid {identity.pid}) does not die even by SIGKILL: is its disk hanging?")
        self.pid_file.unlink(missing_ok=True)

    def wait_gone(self, deadline: float) -> bool:
        while self.identity is not None:
            if time.monotonic() > deadline:
                return False
            time.sleep(POLL_SECONDS)
        return True

    def _remembered(self) -> Identity | None:
        try:
            record = json.loads(self.pid_file.read_text(encoding="utf-8"))
            return Identity(pid=int(record["pid"]), started=int(record["started"]))
        except (FileNotFoundError, ValueError, KeyError, TypeError):
            return None

    def _remember(self, identity: Identity | None) -> None:
        # None: it died at once; the caller notices by `identity` and shows the log.
        if identity:
            write_atomically(self.pid_file, json.dumps({"pid": identity.pid, "started": identity.started}) + "\n")


def _inherited_descriptors() -> list[int]:
    """What this process has open beyond input and outputs: children would get whatever of it is inheritable."""
    return [number for link in Path("/proc/self/fd").iterdir() if (number := int(link.name)) > 2]


def ask_to_stop(processes: Iterable[Process]) -> None:
    """SIGTERM to all at once, also to those that are suspended."""
    for process in processes:
        process.send(signal.SIGTERM)
        # A suspended process would get the SIGTERM only once it is resumed.
        process.send(signal.SIGCONT)


def wait_or_kill(processes: Collection[Process], *, seconds: float) -> list[str]:
    """Return when all are gone, after SIGKILL to what is left after `seconds`; names those that had to be killed."""
    deadline = time.monotonic() + seconds
    killed = [process for process in processes if not process.wait_gone(deadline)]
    for process in processes:
        process.kill()
    return [process.name for process in killed]


def stop_all(processes: Collection[Process], *, seconds: float) -> list[str]:
    """SIGTERM to all at once, SIGKILL to what is left after `seconds`; names those that had to be killed."""
    ask_to_stop(processes)
    return wait_or_kill(processes, seconds=seconds)


def adopt_lost(processes: Iterable[Process]) -> None:
    """Find the processes of ours that run without a pid file: give leaders theirs back, end children left alone."""
    lost = {str(process.pid_file.absolute()): process for process in processes if process.identity is None}
    if not lost:
        return
    orphans: dict[str, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and (mark := _mark_of(entry)) in lost:
            orphans.setdefault(mark, []).append(int(entry.name))
    for mark, pids in orphans.items():
        leader = next((pid for pid in pids if (stat := _stat(pid)) and stat.session == pid), None)
        if leader:
            lost[mark].adopt(leader)
            continue
        for pid in pids:
            _signal(pid, signal.SIGKILL)


@dataclass(frozen=True)
class _Stat:
    state: str
    session: int
    started: int


def _stat(pid: int) -> _Stat | None:
    """From /proc; None when the process is gone, also when it is a zombie, which is then reaped if it is our child."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return None
    # The second field is the name in parentheses, which may itself contain anything.
    fields = text.rpartition(")")[2].split()
    if fields[0] in {"Z", "X"}:
        _reap(pid)
        return None
    return _Stat(state=fields[0], session=int(fields[3]), started=int(fields[19]))


def _identity_of(pid: int) -> Identity | None:
    stat = _stat(pid)
    return Identity(pid, stat.started) if stat else None


def _mark_of(entry: Path) -> str | None:
    try:
        variables = (entry / "environ").read_bytes().split(b"\0")
    except OSError:  # gone meanwhile, or somebody else's
        return None
    prefix = f"{MARK}=".encode()
    return next((os.fsdecode(value.removeprefix(prefix)) for value in variables if value.startswith(prefix)), None)


def _reap(pid: int) -> None:
    with suppress(ChildProcessError):
        os.waitpid(pid, os.WNOHANG)


def _signal(pid: int, number: signal.Signals) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, number)


def _signal_group(pid: int, number: signal.Signals) -> None:
    with suppress(ProcessLookupError):
        os.killpg(pid, number)
