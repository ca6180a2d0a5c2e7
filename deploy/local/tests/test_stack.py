import json
from pathlib import Path

from deploy.local.layout import Layout
from deploy.local.process.ports import HOST
from deploy.local.servers.server import Server
from deploy.local.start.stack import Stack


def test_description_is_read_as_it_was_saved(tmp_path: Path) -> None:
    node = Server("cassandra-2", "cassandra", 1, ("java",), {"HOME": "/nowhere"}, host="127.0.0.2")
    served, variables = {"cassandra": "127.0.0.2:1"}, {"CASSANDRA_JMX": "127.0.0.1:2"}
    Stack(Layout(tmp_path), [node], served={"cassandra": "127.0.0.2:1"}, external={}, variables=variables).save()

    stack = Stack.at(tmp_path)

    assert (stack.servers, stack.served, stack.variables) == ([node], served, variables)
    assert stack.env() == {"CASSANDRA_CONTACT_POINTS": "127.0.0.2:1", "CASSANDRA_JMX": "127.0.0.1:2"}


def test_description_left_by_an_earlier_version_is_understood(tmp_path: Path) -> None:
    layout = Layout(tmp_path)
    layout.create()
    server = {"name": "redis", "kind": "redis", "port": 1, "command": ["redis-server"], "environment": {}}
    layout.description.write_text(json.dumps({"served": {"redis": "redis://"}, "external": {}, "servers": [server]}))

    stack = Stack.at(tmp_path)

    assert stack.servers == [Server("redis", "redis", 1, ("redis-server",), {}, host=HOST)]
    assert stack.env() == {"REDIS_URL": "redis://"}
