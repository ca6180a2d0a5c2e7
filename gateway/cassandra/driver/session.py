"""The process's connection to Cassandra: opened in the background on first use, once, and anew after a fork."""

import os
import ssl
import threading
from collections import OrderedDict
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from cassandra.auth import PlainTextAuthProvider
from cassandra.cluster import EXEC_PROFILE_DEFAULT, Cluster, ExecutionProfile, NoHostAvailable, Session
from cassandra.policies import ConstantReconnectionPolicy, DCAwareRoundRobinPolicy, TokenAwarePolicy
from cassandra.query import dict_factory
from django.conf import settings

from gateway.cassandra.driver.retry import CarefulRetryPolicy
from gateway.cassandra.errors import CassandraNotConfigured

DEFAULT_PORT = 9042
# Pinned, because a node that is just starting could otherwise talk the driver down to an older one.
PROTOCOL_VERSION = 5
# How soon after its return a node is used again.
RECONNECT_SECONDS = 1.0
# A node that hangs without closing its connections is noticed within these two together.
HEARTBEAT_SECONDS = 10.0
HEARTBEAT_TIMEOUT = 5.0
# Texts are made from declarations, some hundred in all; a text built from data by mistake must not fill the memory.
PREPARED_KEPT = 500

SCHEMA = "schema"
"""Execution profile for DDL, which includes waiting until the nodes agree."""
SCHEMA_SECONDS = 60.0


class PreparedStatements:
    """Statements prepared by this session, each once however many threads ask; the longest unused is dropped first."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._lock = threading.Lock()
        self._statements: OrderedDict[str, Future[Any]] = OrderedDict()

    def is_ready(self, cql: str) -> bool:
        """Whether `get` would return at once."""
        found = self._statements.get(cql)
        return found is not None and found.done()

    def get(self, cql: str) -> Any:
        """The prepared statement; may wait for the server, no longer than a request."""
        with self._lock:
            future = self._statements.get(cql)
            ours = future is None
            if future is None:
                future = self._statements[cql] = Future()
                if len(self._statements) > PREPARED_KEPT:
                    self._statements.popitem(last=False)
            self._statements.move_to_end(cql)
        if ours:
            self._prepare(cql, future)
        return future.result()

    def _prepare(self, cql: str, future: Future[Any]) -> None:
        try:
            future.set_result(self._session.prepare(cql))
        except BaseException as error:  # noqa: BLE001 whatever it is, those who wait for this statement must learn of it
            with self._lock:
                self._statements.pop(cql, None)
            future.set_exception(error)


@dataclass(frozen=True, slots=True)
class Connection:
    cluster: Cluster
    session: Session
    prepared: PreparedStatements


class Connector:
    """Keeps one connection, or one attempt to open it, per process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._attempt: Future[Connection] | None = None
        self._inherited: Future[Connection] | None = None

    def connection(self) -> Connection:
        """The connection, opened if need be. Waits no longer than CASSANDRA_CONNECT_TIMEOUT."""
        attempt = self._current_attempt()
        try:
            return attempt.result(timeout=settings.CASSANDRA_CONNECT_TIMEOUT)
        except TimeoutError as error:
            if attempt.done():
                raise
            raise NoHostAvailable(f"no connection within {settings.CASSANDRA_CONNECT_TIMEOUT} s", {}) from error

    def opened(self) -> Connection | None:
        """The connection if it is open, else None."""
        attempt = self._attempt
        return attempt.result() if attempt and attempt.done() and not attempt.exception() else None

    def close(self) -> None:
        """Close the connection; the next request opens a new one."""
        with self._lock:
            attempt, self._attempt = self._attempt, None
        if attempt:
            attempt.add_done_callback(_shut_down)

    def renew(self) -> None:
        """Let the next request open a new connection, which asks the DNS where the nodes are now.

        Does not wait, and may be called by the driver's own threads. An attempt still under way is left to finish.
        """
        with self._lock:
            attempt = self._attempt
            if attempt is None or not attempt.done():
                return
            self._attempt = None
        threading.Thread(target=_shut_down, args=(attempt,), name="cassandra-close", daemon=True).start()

    def forget(self) -> None:
        """Start anew in a forked child: the parent's connection has no threads here, and its locks may stay held.

        It is kept all the same, because its destructor would wait for those locks.
        """
        self._inherited, self._attempt, self._lock = self._attempt, None, threading.Lock()

    def _current_attempt(self) -> Future[Connection]:
        if not settings.CASSANDRA_CONTACT_POINTS:
            raise CassandraNotConfigured
        with self._lock:
            if self._attempt is None or (self._attempt.done() and self._attempt.exception()):
                self._attempt = Future()
                # Waiting for it must not be able to cancel it for the others.
                self._attempt.set_running_or_notify_cancel()
                threading.Thread(target=_open, args=(self._attempt,), name="cassandra-open", daemon=True).start()
            return self._attempt


CONNECTOR = Connector()


def _open(attempt: Future[Connection]) -> None:
    cluster = None
    try:
        cluster = _cluster()
        session = cluster.connect()
        # prepare() takes its time-out from here, and with execution profiles the driver offers no other way to set it.
        session._default_timeout = settings.CASSANDRA_REQUEST_TIMEOUT  # noqa: SLF001
        attempt.set_result(Connection(cluster, session, PreparedStatements(session)))
    except BaseException as error:  # noqa: BLE001 the callers get it
        attempt.set_exception(error)
        if cluster is not None:
            cluster.shutdown()


def _cluster() -> Cluster:
    nearest = TokenAwarePolicy(DCAwareRoundRobinPolicy(local_dc=settings.CASSANDRA_LOCAL_DC))
    auth = None
    if settings.CASSANDRA_USERNAME:
        auth = PlainTextAuthProvider(settings.CASSANDRA_USERNAME, settings.CASSANDRA_PASSWORD)

    def profile(timeout: float) -> ExecutionProfile:
        return ExecutionProfile(
            load_balancing_policy=nearest,
            retry_policy=CarefulRetryPolicy(),
            request_timeout=timeout,
            row_factory=dict_factory,
        )

    return Cluster(
        contact_points=[_address(point) for point in settings.CASSANDRA_CONTACT_POINTS],
        protocol_version=PROTOCOL_VERSION,
        auth_provider=auth,
        ssl_context=_tls(),
        execution_profiles={
            EXEC_PROFILE_DEFAULT: profile(settings.CASSANDRA_REQUEST_TIMEOUT),
            SCHEMA: profile(SCHEMA_SECONDS),
        },
        # By default it gives up for good after 64 attempts.
        reconnection_policy=ConstantReconnectionPolicy(RECONNECT_SECONDS, max_attempts=None),
        connect_timeout=settings.CASSANDRA_CONNECT_TIMEOUT,
        control_connection_timeout=settings.CASSANDRA_CONNECT_TIMEOUT,
        idle_heartbeat_interval=HEARTBEAT_SECONDS,
        idle_heartbeat_timeout=HEARTBEAT_TIMEOUT,
        # One node that hangs must not delay the rest; a node that lacks a statement asks for it.
        prepare_on_all_hosts=False,
        max_schema_agreement_wait=SCHEMA_SECONDS / 2,
        application_name="mobile-world-gateway",
        monitor_reporting_enabled=False,
    )


def _tls() -> ssl.SSLContext | None:
    """The TLS context by which nodes prove who they are, and we to them where they ask for it; None without TLS."""
    if not settings.CASSANDRA_TLS:
        return None
    context = ssl.create_default_context(cafile=settings.CASSANDRA_TLS_CA or None)
    # The driver knows nodes by their addresses, so that is what their certificates must name.
    context.check_hostname = settings.CASSANDRA_TLS_CHECK_HOSTNAME
    if settings.CASSANDRA_TLS_CERTIFICATE:
        context.load_cert_chain(settings.CASSANDRA_TLS_CERTIFICATE)
    return context


def _address(contact_point: str) -> tuple[str, int]:
    """Host and port of a contact point: `host`, `host:port` or `[::1]:port`."""
    parts = urlsplit(f"//{contact_point}")
    return parts.hostname or "", parts.port or DEFAULT_PORT


def _shut_down(attempt: Future[Connection]) -> None:
    if not attempt.exception():
        attempt.result().cluster.shutdown()


os.register_at_fork(after_in_child=CONNECTOR.forget)
