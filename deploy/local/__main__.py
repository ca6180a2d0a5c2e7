"""The real servers of development and tests, as ordinary processes. See docs/local-stack.md."""

import argparse
import os
import sys
from collections.abc import Callable
from pathlib import Path

from deploy.local.command import execute
from deploy.local.errors import StackError
from deploy.local.fetch import disk
from deploy.local.lanes import execute_in_lanes
from deploy.local.launch import Launch
from deploy.local.layout import DEVELOPMENT_ROOT
from deploy.local.process.signals import interrupt_on_stop_signals
from deploy.local.progress import Progress
from deploy.local.run.run import run
from deploy.local.start.start import start
from deploy.local.start.stop import clean, stop
from deploy.local.status import show_status


def main() -> int:
    arguments = _parser().parse_args()
    perform: Callable[[argparse.Namespace], int] = arguments.perform
    if sys.platform != "linux":
        sys.stderr.write("the local stack is made for Linux: use docker compose here\n")
        return 1
    interrupt_on_stop_signals()
    try:
        return perform(arguments)
    except StackError as error:
        sys.stderr.write(f"\n{error}\n")
    except BrokenPipeError:  # `… | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as error:
        message = disk.explain(error)
        if message is None:
            raise
        sys.stderr.write(f"\n{message}\n")
    except KeyboardInterrupt:
        return 130
    return 1


def _start(arguments: argparse.Namespace) -> int:
    with Progress() as progress:
        start(arguments.root, Launch(progress))
    return 0


def _stop(arguments: argparse.Namespace) -> int:
    with Progress() as progress:
        stop(arguments.root, progress)
    return 0


def _restart(arguments: argparse.Namespace) -> int:
    return _stop(arguments) or _start(arguments)


def _status(arguments: argparse.Namespace) -> int:
    return show_status(arguments.root)


def _clean(arguments: argparse.Namespace) -> int:
    with Progress() as progress:
        clean(arguments.root, progress)
    return 0


def _run(arguments: argparse.Namespace) -> int:
    return run(arguments.root)


def _exec(arguments: argparse.Namespace) -> int:
    return execute(arguments.root, arguments.argv, keep=arguments.keep)


def _lanes(arguments: argparse.Namespace) -> int:
    return execute_in_lanes([arguments.root, *arguments.beside], arguments.argv)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m deploy.local", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="command")

    def command(name: str, perform: Callable[[argparse.Namespace], int], text: str) -> argparse.ArgumentParser:
        sub = commands.add_parser(name, help=text, description=text)
        sub.add_argument("--root", type=Path, default=DEVELOPMENT_ROOT, help="data, logs and pid files (%(default)s)")
        sub.set_defaults(perform=perform)
        return sub

    command("start", _start, "start what is not running, and wait until all of it serves")
    command("stop", _stop, "stop everything; the data stays")
    command("restart", _restart, "stop, then start")
    command("status", _status, "show every server; exit status 1 unless all of them serve")
    command("clean", _clean, "stop everything and remove the data and logs, never the cache of binaries")
    command("run", _run, "servers, web, worker and beat in the foreground until Ctrl-C")
    with_command = command("exec", _exec, "run a command with the servers' addresses in its environment")
    with_command.add_argument("--keep", action="store_true", help="leave the servers running afterwards")
    with_command.add_argument("argv", nargs="+", metavar="…", help="the command, after --")
    lanes = command("lanes", _lanes, "run pytest with a worker on each of several stacks")
    lanes.add_argument("--beside", type=Path, action="append", default=[], metavar="ROOT", help="one more stack")
    lanes.add_argument("argv", nargs="+", metavar="…", help="pytest, after --")
    return parser


if __name__ == "__main__":
    sys.exit(main())
