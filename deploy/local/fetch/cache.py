"""Binaries kept in the user's cache directory, so that the second start and the second clone download nothing."""

import platform
import shutil
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

from deploy.local.errors import StackError
from deploy.local.fetch import disk
from deploy.local.launch import Launch
from deploy.local.process import lock

SERVERS_OF_YOURS = (
    "put mongod, mongos and redis-server on PATH,\n"
    "or set MONGODB_URI, REDIS_URL and CASSANDRA_CONTACT_POINTS to servers of yours."
)


def directory(environ: Mapping[str, str]) -> Path:
    base = environ.get("XDG_CACHE_HOME") or Path(environ.get("HOME", "~")).expanduser() / ".cache"
    return Path(base) / "mobile-world-gateway"


def cached(
    launch: Launch, name: str, build: Callable[[Path], None], *, announce: str, otherwise: str = SERVERS_OF_YOURS
) -> Path:
    """The directory `name` of the cache; the first caller lets `build` fill it, others wait and share it.

    It appears under its name only when complete: whatever lies beside it was left by a start that was killed.
    `otherwise` tells those for whose machine there is nothing to fetch what to do.
    """
    cache = directory(launch.environ)
    target = cache / name
    label = name.partition("-")[0]
    if target.is_dir():
        return target
    with lock.exclusive(
        cache / f"{name}.lock",
        note="",
        when_taken=lambda _: launch.progress.say(label, "another start is fetching it, waiting"),
        while_waiting=launch.check,
    ):
        if target.is_dir():
            return target
        for leftover in cache.glob(f"{name}.tmp-*"):
            shutil.rmtree(leftover)
        _require_known_machine(name, otherwise)
        disk.require(cache, disk.FIRST_START_BYTES, f"fetch {name}")
        launch.progress.say(label, f"{announce}, once for all clones")
        temporary = Path(tempfile.mkdtemp(prefix=f"{name}.tmp-", dir=cache))
        try:
            content = temporary / "content"
            with launch.progress.step(label, f"fetched into {target}"):
                build(content)
            content.rename(target)
        finally:
            shutil.rmtree(temporary)
    return target


def _require_known_machine(name: str, otherwise: str) -> None:
    machine = f"{platform.system()} {platform.machine()}"
    if machine != "Linux x86_64":
        raise StackError(f"there is no {name} to fetch for {machine}: {otherwise}")
