"""The manage.py commands of `make run`, in one interpreter: importing Django takes longer than each of them.

Run as a program, python -m deploy.local.run.preparation, with the addresses of the servers in its environment.
"""

import os
import runpy
import sys
import tempfile
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import BinaryIO

from deploy.local.errors import StackError
from deploy.local.layout import REPOSITORY
from deploy.local.progress import Progress
from deploy.local.servers.server import VARIABLE

OUTPUT_LINES = 40

# Each is idempotent, so that every start may repeat them all.
COMMANDS = (
    ("topology", "shard keys, indexes, zones", ("topology", "apply")),
    ("migrate", "migrations", ("migrate",)),
    ("cassandra", "keyspaces and tables", ("cassandra", "apply")),
    ("roles", "staff roles", ("roles",)),
    ("accounts", "demo accounts", ("demo_accounts",)),
    ("demo", "demo catalog", ("load_demo", "--products", os.environ.get("DEMO_PRODUCTS") or "20000")),
)


def main() -> int:
    sys.path.insert(0, str(REPOSITORY))
    screen = os.fdopen(os.dup(sys.stdout.fileno()), "w")
    try:
        with Progress(screen) as progress:
            for name, text, command in COMMANDS:
                if name == "cassandra" and not os.environ.get(VARIABLE["cassandra"]):
                    continue
                with progress.step(name, text):
                    _manage(command)
    except StackError as error:
        sys.stderr.write(f"\n{error}\n\n")
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


def _manage(command: Sequence[str]) -> None:
    """Run one command as manage.py would; what it prints is shown only if it fails."""
    with tempfile.TemporaryFile() as output:
        with _redirected(output):
            sys.argv = ["manage.py", *command]
            succeeded = _run_manage_py()
        if not succeeded:
            output.seek(0)
            lines = output.read().decode("utf-8", errors="replace").splitlines()
            tail = "\n".join(f"    {line}" for line in lines[-OUTPUT_LINES:])
            raise StackError(f"manage.py {' '.join(command)} failed:\n{tail}")


def _run_manage_py() -> bool:
    """Whether it ended well; what went wrong is printed."""
    try:
        runpy.run_path(str(REPOSITORY / "manage.py"), run_name="__main__")
    except SystemExit as ending:
        return not ending.code
    except Exception:  # noqa: BLE001
        traceback.print_exc()
        return False
    return True


@contextmanager
def _redirected(file: BinaryIO) -> Iterator[None]:
    """Standard output and error go to the file for the block, also of what holds on to the streams or descriptors."""
    standard = (sys.stdout, sys.stderr)
    kept = [os.dup(stream.fileno()) for stream in standard]
    for stream in standard:
        stream.flush()
        os.dup2(file.fileno(), stream.fileno())
    try:
        yield
    finally:
        for stream, descriptor in zip(standard, kept, strict=True):
            stream.flush()
            os.dup2(descriptor, stream.fileno())
            os.close(descriptor)


if __name__ == "__main__":
    sys.exit(main())
