"""Running a process in so much memory that it is killed beyond it, by a control group where one can be made."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

V1, V2 = Path("/sys/fs/cgroup/memory"), Path("/sys/fs/cgroup")


@dataclass(frozen=True)
class Confined:
    """A process and the control group that confines it."""

    process: subprocess.Popen[bytes]
    group: Path | None
    """None when no group could be made: then only its own limits confine the process."""

    def peak_bytes(self) -> int:
        """The most memory that the process ever had resident."""
        status = Path(f"/proc/{self.process.pid}/status").read_text(encoding="ascii")
        return next(int(line.split()[1]) * 1024 for line in status.splitlines() if line.startswith("VmHWM:"))

    def is_alive(self) -> bool:
        return self.process.poll() is None


@contextmanager
def run_confined(command: list[str], limit: int, environment: dict[str, str], log: Path) -> Iterator[Confined]:
    group = _new_group(limit)

    def enter() -> None:
        if group is not None:
            (group / "cgroup.procs").write_text(str(os.getpid()), encoding="ascii")

    with log.open("wb") as output:
        process = subprocess.Popen(  # noqa: S603 - our own
            command,
            env=environment,
            stdout=output,
            stderr=output,
            preexec_fn=enter,  # noqa: PLW1509 - before anything is allocated
        )
    try:
        yield Confined(process, group)
    finally:
        process.kill()
        process.wait()
        if group is not None:
            group.rmdir()


def _new_group(limit: int) -> Path | None:
    """A new control group with this limit; None, said on stderr, where control groups are not ours to make."""
    if (V2 / "cgroup.controllers").exists():
        parent, limits = V2, {"memory.max": limit, "memory.swap.max": 0}
    else:
        parent, limits = V1, {"memory.limit_in_bytes": limit}
    group = parent / f"gateway-attack-{os.getpid()}-{limit}"
    try:
        group.mkdir()
        for file, value in limits.items():
            (group / file).write_text(str(value), encoding="ascii")
    except OSError as error:
        sys.stderr.write(f"no control group ({error}): the memory is measured, not limited\n")
        return None
    return group
