"""The real servers of development and tests: python -m deploy.local <command> [--root .local]."""

import argparse
import shutil
import sys
from pathlib import Path

from deploy.local import disk
from deploy.local.errors import StackError
from deploy.local.launch import Launch
from deploy.local.layout import DEVELOPMENT_ROOT, Layout
from deploy.local.progress import Progress
from deploy.local.stack import Stack
from deploy.local.start import start
from deploy.local.status import show_status


def main() -> int:
    arguments = _parser().parse_args()
    try:
        return int(COMMANDS[arguments.command](arguments.root))
    except StackError as error:
        sys.stderr.write(f"\n{error}\n")
    except OSError as error:
        message = disk.explain(error)
        if message is None:
            raise
        sys.stderr.write(f"\n{message}\n")
    except KeyboardInterrupt:
        sys.stderr.write("\ninterrupted\n")
        return 130
    return 1


def _start(root: Path) -> int:
    with Progress() as progress:
        start(root, Launch(progress))
    return 0


def _stop(root: Path) -> int:
    layout = Layout(root.absolute())
    if not layout.description.exists():
        sys.stdout.write(f"nothing to stop at {root}\n")
        return 0
    with Progress() as progress, progress.step("stack", "stopped"):
        stack = Stack.at(root)
        for name in stack.stop():
            progress.say(name, "did not stop in time and was killed")
    return 0


def _restart(root: Path) -> int:
    return _stop(root) or _start(root)


def _clean(root: Path) -> int:
    _stop(root)
    layout = Layout(root.absolute())
    for directory in (layout.run, layout.data, layout.log):
        shutil.rmtree(directory, ignore_errors=True)
    return 0


COMMANDS = {"start": _start, "stop": _stop, "restart": _restart, "status": show_status, "clean": _clean}


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m deploy.local", description=__doc__)
    parser.add_argument("command", choices=COMMANDS)
    parser.add_argument("--root", type=Path, default=DEVELOPMENT_ROOT, help="where data, logs and pid files are kept")
    return parser


if __name__ == "__main__":
    sys.exit(main())
