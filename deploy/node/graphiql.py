"""GraphiQL's scripts, pinned: the last version that is plain scripts without workers, and the React it needs."""

import shutil
from pathlib import Path

from deploy.local.fetch.cache import cached
from deploy.local.fetch.packages import NpmPackage, fetch_npm
from deploy.local.launch import Launch

PACKAGES = {
    NpmPackage(
        "graphiql",
        "3.9.0",
        "sha512-rJYFlHdBbug9+YbFSwRVvgfPjCayC7wHecZkx/qB4XLuQPFQZw/yB9pmHFtOJV6RiNBBHro3u1GdocKa3YcGRA==",
    ): ("package/graphiql.min.js", "package/graphiql.min.css"),
    NpmPackage(
        "react",
        "18.3.1",
        "sha512-wS+hAgJShR0KhEvPJArfuPVN1+Hz1t0Y6n5jLrGQbkb4urgPE/0Rve+1kMB1v/oWgHgm4WIcV+i7F2pTVj+2iQ==",
    ): ("package/umd/react.production.min.js",),
    NpmPackage(
        "react-dom",
        "18.3.1",
        "sha512-5m4nQKp+rZRb09LNH59GM4BxTh9251/ylbKIbpe7TpGxfJ+9kv6BLkLBXIjjspbgbnIBNqlI23tRnTWT0snUIw==",
    ): ("package/umd/react-dom.production.min.js",),
}
VERSION = "-".join(package.version for package in PACKAGES)


def prepare(launch: Launch, into: Path) -> None:
    """Put the scripts where the gateway serves them from."""
    source = cached(
        launch, f"graphiql-{VERSION}", lambda target: _fetch(launch, target), announce="fetching GraphiQL with npm"
    )
    if not into.is_dir():
        fresh = into.with_name(f"{into.name}.new")
        shutil.rmtree(fresh, ignore_errors=True)
        shutil.copytree(source, fresh)
        fresh.rename(into)


def _fetch(launch: Launch, into: Path) -> None:
    for package, members in PACKAGES.items():
        fetch_npm(launch, package, members, into)
