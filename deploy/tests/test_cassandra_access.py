"""One real node with TLS and passwords, as compose and production have it: its roles, and the gateway through both."""

import os
import shutil
import ssl
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from cassandra import Unauthorized
from cassandra.auth import PlainTextAuthProvider
from cassandra.cluster import Cluster, NoHostAvailable, Session

from deploy.local.launch import Launch
from deploy.local.layout import Layout
from deploy.local.process.ports import PortBook
from deploy.local.progress import Progress
from deploy.local.servers import redis
from deploy.local.servers.cassandra import ONE_NODE, locate, plan
from deploy.local.start.stack import Stack
from deploy.tests.descriptions import ROOT, services
from deploy.tests.secrets import Secrets, make_secrets
from deploy.tests.servers import running
from gateway.cassandra.driver.session import PROTOCOL_VERSION
from gateway.tests.certificates import Certificates, make_certificates
from gateway.tests.redis_servers import free_port

# A node of its own is started: some ten seconds on an idle machine, a minute on one that has other things to do.
pytestmark = [pytest.mark.cluster, pytest.mark.timeout(300)]

PREFIX = "access"
# As the yaml of the official image has it, which compose overrides.
YAML = """
authenticator:
  class_name: AllowAllAuthenticator
authorizer: AllowAllAuthorizer
role_manager: CassandraRoleManager
client_encryption_options:
  enabled: true
  optional: false
  keystore: {keystore}
  keystore_password: secret
  store_type: PKCS12
"""


@dataclass(frozen=True)
class Node:
    address: str
    secrets: Secrets
    certificates: Certificates

    @property
    def environment(self) -> dict[str, str]:
        return {
            **os.environ,
            **self.secrets.values,
            "CASSANDRA_CONTACT_POINTS": self.address,
            "CASSANDRA_KEYSPACE_PREFIX": PREFIX,
            "CASSANDRA_TLS_CA": str(self.certificates.authority),
        }

    def gateway(self, *command: str, **changes: str) -> subprocess.CompletedProcess[str]:
        environment = {
            **self.environment,
            "DJANGO_SETTINGS_MODULE": "gateway.settings",
            "CASSANDRA_TLS": "true",
            "CASSANDRA_CONNECT_TIMEOUT": "20",
            "CASSANDRA_REQUEST_TIMEOUT": "20",
            **changes,
        }
        return run([sys.executable, *command], environment)

    @contextmanager
    def session(self, role: str, password: str) -> Iterator[Session]:
        host, _, port = self.address.partition(":")
        cluster = Cluster(
            [(host, int(port))],
            auth_provider=PlainTextAuthProvider(role, password),
            ssl_context=ssl.create_default_context(cafile=str(self.certificates.authority)),
            protocol_version=PROTOCOL_VERSION,
            connect_timeout=20,
            control_connection_timeout=20,
        )
        try:
            yield cluster.connect()
        finally:
            cluster.shutdown()


def run(command: list[str], environment: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)


def job(node: Node, step: str) -> str:
    script = ROOT / "deploy" / "compose" / "init" / "cassandra_roles.py"
    done = run([sys.executable, str(script), step], node.environment)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Node]:
    """After the jobs of compose, in their order."""
    directory = tmp_path_factory.mktemp("cassandra")
    certificates = make_certificates(directory / "tls")
    keystore = directory / "tls" / "server.p12"
    pkcs12 = ["openssl", "pkcs12", "-export", "-in", str(certificates.certificate), "-inkey", str(certificates.key)]
    subprocess.run([*pkcs12, "-out", str(keystore), "-passout", "pass:secret"], check=True, capture_output=True)
    layout = Layout(directory / "root")
    layout.create()
    part = plan(ONE_NODE, locate(Launch(Progress())), layout, PortBook(layout))
    (server,) = part.servers
    with (layout.run / server.name / "cassandra.yaml").open("a", encoding="utf-8") as yaml:
        yaml.write(YAML.format(keystore=keystore))
    options = services()["cassandra"]["environment"]["JVM_EXTRA_OPTS"].split()
    server = replace(server, command=(*server.command[:-1], *options, server.command[-1]))
    stack = Stack(layout, [server], served={"cassandra": part.address}, external={}, variables={})
    found = Node(part.address, make_secrets(directory), certificates)
    stack.spawn(server.name)
    try:
        job(found, "roles")
        done = found.gateway(
            *("manage.py", "cassandra", "apply"),
            CASSANDRA_USERNAME="topology",
            CASSANDRA_PASSWORD=found.secrets.values["CASSANDRA_SCHEMA_PASSWORD"],
        )
        assert done.returncode == 0, done.stdout + done.stderr
        job(found, "grants")
        yield found
    finally:
        stack.kill(server.name)
        shutil.rmtree(layout.root)


PING = "import django; django.setup(); from gateway.cassandra.reads import ping; ping(); print('answers')"
SESSION = """
import django; django.setup()
from gateway.accounts.sessions.engine import SessionStore
session = SessionStore(device="test", ip_address="127.0.0.1")
session["colour"] = "blue"
session.create()
from gateway.redis.clients import redis_client
redis_client().flushdb()
print(SessionStore(session.session_key)["colour"])
"""


@pytest.fixture
def own_redis(tmp_path: Path) -> Iterator[str]:
    """A Redis whose copies of sessions may be thrown away."""
    port = free_port()
    server = [str(redis.locate(Launch(Progress()))), "--port", str(port), "--save", "", "--dir", str(tmp_path)]
    with running(server, ready=lambda: redis.answers(port), log=tmp_path / "redis.log"):
        yield f"redis://127.0.0.1:{port}/0"


def test_gateway_reads_and_writes_its_rows_over_tls(node: Node, own_redis: str) -> None:
    done = node.gateway("-c", SESSION, CASSANDRA_USERNAME="gateway", REDIS_URL=own_redis)

    assert done.stdout.splitlines()[-1:] == ["blue"], done.stderr


@pytest.mark.parametrize(
    "wrong",
    [
        {"CASSANDRA_TLS": "false"},
        {"CASSANDRA_TLS_CA": ""},
        {"CASSANDRA_PASSWORD": "wrong"},
        {"CASSANDRA_USERNAME": "cassandra", "CASSANDRA_PASSWORD": "cassandra"},
        {"CASSANDRA_USERNAME": ""},
    ],
    ids=str,
)
def test_gateway_is_not_let_in(node: Node, wrong: dict[str, str]) -> None:
    done = node.gateway("-c", PING, **{"CASSANDRA_USERNAME": "gateway", "CASSANDRA_CONNECT_TIMEOUT": "5", **wrong})

    assert done.returncode != 0
    assert "answers" not in done.stdout
    assert "CassandraUnavailable" in done.stderr


def test_jobs_may_run_again(node: Node) -> None:
    assert "roles: admin, topology, gateway" in job(node, "roles")
    assert "gateway may read and write" in job(node, "grants")


@pytest.mark.parametrize(
    "statement",
    [
        f"DROP KEYSPACE {PREFIX}_orders",
        f"DROP TABLE {PREFIX}_carts.user_sessions",
        f"ALTER TABLE {PREFIX}_carts.user_sessions ADD evil text",
        "CREATE KEYSPACE evil WITH replication = {'class': 'NetworkTopologyStrategy', 'dc1': 1}",
        "CREATE ROLE evil WITH SUPERUSER = true",
        "ALTER ROLE gateway WITH SUPERUSER = true",
        "ALTER ROLE admin WITH PASSWORD = 'evil'",
        "SELECT * FROM system_auth.roles",
        "GRANT ALL ON ALL KEYSPACES TO gateway",
    ],
)
def test_application_may_not(node: Node, statement: str) -> None:
    with node.session("gateway", node.secrets.values["CASSANDRA_PASSWORD"]) as session:
        with pytest.raises(Unauthorized):
            session.execute(statement)
        assert "user_sessions" in session.cluster.metadata.keyspaces[f"{PREFIX}_carts"].tables


def test_default_superuser_is_locked(node: Node) -> None:
    with pytest.raises(NoHostAvailable), node.session("cassandra", "cassandra"):
        pass
    with node.session("admin", node.secrets.values["CASSANDRA_ADMIN_PASSWORD"]) as session:
        default = "SELECT can_login, is_superuser FROM system_auth.roles WHERE role = 'cassandra'"
        assert tuple(session.execute(default).one()) == (False, False)


def test_topology_makes_tables_but_no_roles(node: Node) -> None:
    with node.session("topology", node.secrets.values["CASSANDRA_SCHEMA_PASSWORD"]) as session:
        session.execute(f"CREATE TABLE {PREFIX}_carts.tried (id text PRIMARY KEY)")
        session.execute(f"DROP TABLE {PREFIX}_carts.tried")
        with pytest.raises(Unauthorized):
            session.execute("CREATE ROLE evil WITH SUPERUSER = true")
