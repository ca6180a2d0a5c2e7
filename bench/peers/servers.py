"""The Node servers that the gateway is measured against, installed by npm from their lock file once per user."""

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from django.conf import settings

from bench.peers.shop import Shop
from bench.web import Server, running
from deploy.local.launch import Launch
from deploy.local.layout import REPOSITORY
from deploy.local.progress import Progress
from deploy.node.tools import Node, fetched_node, packages
from gateway.tests.redis_servers import free_port

HERE = Path(__file__).parent / "node"
PROGRAMS = ("contract.mjs", "server.mjs")
SCHEMA = REPOSITORY / "gateway" / "schema.graphql"

PEERS = ("apollo", "yoga", "mercurius")
CACHED_PEER = "apollo-cached"
"""Apollo with its plugin for remembering responses."""


class Peers:
    """Starts one after the other, all on the same Node and the same packages."""

    def __init__(self, directory: Path, node: Node, shop: Shop) -> None:
        self._directory = directory
        self._node = node
        known = {"searches": shop.searches, "owner": shop.owner, "site": settings.PUBLIC_URL}
        (directory / "shop.json").write_text(json.dumps(known, ensure_ascii=False), encoding="utf-8")

    @contextmanager
    def server(self, kind: str) -> Iterator[Server]:
        port = free_port()
        of_the_shop = (settings.MONGODB_URI, settings.MONGODB_DATABASE, str(SCHEMA), str(self._directory / "shop.json"))
        command = [str(self._node.program), str(self._directory / "server.mjs"), kind, str(port), *of_the_shop]
        with running(command, port, {"NODE_ENV": "production"}, path="/graphql") as pid:
            yield Server(kind, pid, port)


@contextmanager
def peers(shop: Shop) -> Iterator[Peers]:
    """The peers, ready to be started; what is fetched stays in the user's cache."""
    with Progress() as progress:
        launch = Launch(progress)
        node = fetched_node(launch)
        installed = packages(launch, node, HERE, name="peers", what="the peers")
    with TemporaryDirectory() as directory:
        for name in PROGRAMS:
            shutil.copy(HERE / name, directory)
        # Modules are looked for beside those that import them.
        (Path(directory) / "node_modules").symlink_to(installed / "node_modules")
        yield Peers(Path(directory), node, shop)
