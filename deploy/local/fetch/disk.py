"""Room on the disk, asked for before it is needed: servers that run out of it die in ways hard to read."""

import errno
import shutil
from pathlib import Path

from deploy.local.errors import StackError

GIB = 1024**3
# Measured: binaries and jars 0.6 GB with their packed copies; journals, oplogs and commit log of a first start 0.3 GB.
FIRST_START_BYTES = 2 * GIB
# A stack that has its data already only needs room to go on working.
RESTART_BYTES = GIB // 2


def require(path: Path, needed: int, purpose: str) -> None:
    """Refuse when the file system of `path`, which need not exist yet, has less than `needed` bytes free."""
    existing = path.absolute()
    while not existing.exists():
        existing = existing.parent
    free = shutil.disk_usage(existing).free
    if free < needed:
        raise StackError(
            f"not enough disk space to {purpose}: {needed / GIB:.1f} GB needed, "
            f"{free / GIB:.1f} GB free at {existing}.\nFree some space there and start again."
        )


def explain(error: OSError) -> str | None:
    """The message for an error of a full disk; None for any other error."""
    if error.errno not in {errno.ENOSPC, errno.EDQUOT}:
        return None
    where = f" (while writing {error.filename})" if error.filename else ""
    return f"the disk is full{where}. Free some space and start again; what was begun is picked up from there."
