"""Makes the roles of Cassandra: `python cassandra_roles.py roles` before the tables are made, `grants` after it.

A new node lets anybody in as `cassandra`, password `cassandra`. `roles` replaces that superuser by one of our own and
makes two roles with as few rights as they need; `grants` gives the shop's role its keyspaces, once they exist. Both may
run at every start, after a crash at any line, and to change a password other than the superuser's. They read from the
environment:

    CASSANDRA_CONTACT_POINTS     host or host:port, the first one is asked
    CASSANDRA_KEYSPACE_PREFIX    of the shop's keyspaces
    CASSANDRA_ADMIN_PASSWORD     of the superuser `admin`                              roles
    CASSANDRA_SCHEMA_PASSWORD    of the role `topology`, which makes the tables        both
    CASSANDRA_PASSWORD           of the role `gateway`, for web, worker and beat       roles
    CASSANDRA_TLS_CA             whoever signed the node's certificate; empty: no TLS
"""

import os
import ssl
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from cassandra import AuthenticationFailed, Unauthorized
from cassandra.auth import PlainTextAuthProvider
from cassandra.cluster import Cluster, NoHostAvailable, Session

DEFAULT = "cassandra"
"""Name and password of the superuser that a new node comes with."""
PORT = 9042
PROTOCOL_VERSION = 5
# A node that has just begun to serve makes its default superuser a little later.
PATIENCE_SECONDS = 120.0
PAUSE_SECONDS = 1.0
KINDS = ("orders", "carts", "catalog", "history")


@contextmanager
def session_of(role: str, password: str, environment: Mapping[str, str]) -> Iterator[Session]:
    host, _, port = environment["CASSANDRA_CONTACT_POINTS"].split(",")[0].partition(":")
    authority = environment.get("CASSANDRA_TLS_CA")
    cluster = Cluster(
        [(host, int(port or PORT))],
        auth_provider=PlainTextAuthProvider(role, password),
        ssl_context=ssl.create_default_context(cafile=authority) if authority else None,
        protocol_version=PROTOCOL_VERSION,
        connect_timeout=20,
        control_connection_timeout=20,
    )
    try:
        yield cluster.connect()
    finally:
        cluster.shutdown()


def make_roles(environment: Mapping[str, str]) -> None:
    admin = environment["CASSANDRA_ADMIN_PASSWORD"]
    if not lets_in("admin", admin, environment):
        with session_of(DEFAULT, DEFAULT, environment) as session:
            make_role(session, "admin", admin, environment, superuser=True)
    with session_of("admin", admin, environment) as session:
        session.execute(f"ALTER ROLE {DEFAULT} WITH SUPERUSER = false AND LOGIN = false")
        make_role(session, "topology", environment["CASSANDRA_SCHEMA_PASSWORD"], environment)
        make_role(session, "gateway", environment["CASSANDRA_PASSWORD"], environment)
        # Whoever makes a keyspace may do everything in it, and nothing elsewhere.
        session.execute("GRANT CREATE ON ALL KEYSPACES TO topology")
    say("roles: admin, topology, gateway; the default superuser is locked")


def make_role(
    session: Session, name: str, password: str, environment: Mapping[str, str], *, superuser: bool = False
) -> None:
    """Make the role, or give it this password if it has another: Cassandra lets a password change every 5 s only."""
    kind = f"LOGIN = true AND SUPERUSER = {str(superuser).lower()}"
    session.execute(f"CREATE ROLE IF NOT EXISTS {name} WITH PASSWORD = %s AND {kind}", (password,))
    if not can_sign_in(name, password, environment):
        session.execute(f"ALTER ROLE {name} WITH PASSWORD = %s", (password,))


def grant(environment: Mapping[str, str]) -> None:
    """Reading and writing of rows, nothing that changes a table."""
    with session_of("topology", environment["CASSANDRA_SCHEMA_PASSWORD"], environment) as session:
        for kind in KINDS:
            keyspace = f"{environment['CASSANDRA_KEYSPACE_PREFIX']}_{kind}"
            for right in ("SELECT", "MODIFY"):
                session.execute(f'GRANT {right} ON KEYSPACE "{keyspace}" TO gateway')
    say("gateway may read and write the rows of its keyspaces")


def lets_in(role: str, password: str, environment: Mapping[str, str]) -> bool:
    """Whether the role exists with this password. Waits for the node, and for the superuser that it makes by itself."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while True:
        try:
            for name, secret, answer in ((role, password, True), (DEFAULT, DEFAULT, False)):
                if can_sign_in(name, secret, environment):
                    return answer
        except NoHostAvailable as error:
            if time.monotonic() > deadline:
                raise SystemExit(f"Cassandra does not answer: {error}") from error
        if time.monotonic() > deadline:
            raise SystemExit(f"neither {role} nor the default superuser is let in")
        time.sleep(PAUSE_SECONDS)


def can_sign_in(role: str, password: str, environment: Mapping[str, str]) -> bool:
    try:
        with session_of(role, password, environment):
            return True
    except NoHostAvailable as error:
        if any(isinstance(reason, (AuthenticationFailed, Unauthorized)) for reason in error.errors.values()):
            return False
        raise


def say(what: str) -> None:
    sys.stdout.write(f"{what}\n")


if __name__ == "__main__":
    {"roles": make_roles, "grants": grant}[sys.argv[1]](os.environ)
