"""What an error says: about the cluster, for the circuit; and about the request, for the caller."""

from collections.abc import Iterator
from contextlib import contextmanager

from cassandra import (
    OperationTimedOut,
    RequestExecutionException,
    RequestValidationException,
    UnresolvableContactPoints,
)
from cassandra.cluster import NoHostAvailable
from cassandra.connection import ConnectionException
from cassandra.protocol import ErrorMessage, ServerError
from cassandra.protocol import RequestExecutionException as ExecutionErrorMessage
from django.conf import settings

from gateway.cassandra.driver.circuit import CIRCUIT
from gateway.cassandra.driver.session import CONNECTOR
from gateway.cassandra.errors import CassandraError, CassandraUnavailable

# A node answered, and the request is at fault: InvalidRequest, a syntax error, no permission. Raised as it is.
REFUSED: tuple[type[Exception], ...] = (RequestValidationException, ErrorMessage)
# A node answered that it cannot serve this now: too few replicas alive or in time, overloaded, starting. Other tables
# may have other replicas and ask for fewer of them, and the answer comes quickly: no reason to open the circuit.
NOT_SERVED: tuple[type[Exception], ...] = (RequestExecutionException, ExecutionErrorMessage, ServerError)
# Nobody answered this request. The others may fare better.
SILENCE = (OperationTimedOut, ConnectionException, TimeoutError, OSError)


@contextmanager
def typed_errors() -> Iterator[None]:
    """Errors raised inside reach the circuit, and the caller as the types of gateway.cassandra.errors."""
    try:
        yield
    except CassandraError:
        raise
    except Exception as error:
        seen = judge(error)
        if seen is error:
            raise
        raise seen from error


def judge(error: Exception) -> Exception:
    """Tell the circuit; return what the caller should see."""
    if isinstance(error, NOT_SERVED) or _tried_and_not_served(error):
        CIRCUIT.note_answer()
    elif isinstance(error, REFUSED):
        CIRCUIT.note_answer()
        return error
    elif isinstance(error, NoHostAvailable | UnresolvableContactPoints):
        if CIRCUIT.note_loss(readable(error)):
            CONNECTOR.renew()
    elif isinstance(error, SILENCE):
        if CIRCUIT.note_silence(readable(error)):
            CONNECTOR.renew()
    else:
        return error
    unavailable = CassandraUnavailable(readable(error))
    unavailable.__cause__ = error
    return unavailable


def _tried_and_not_served(error: Exception) -> bool:
    """«No host available» also when the nodes are there but none of those asked could serve the request."""
    if not isinstance(error, NoHostAvailable) or not isinstance(error.errors, dict):
        return False
    return any(isinstance(reason, NOT_SERVED) for reason in error.errors.values())


def readable(error: Exception) -> str:
    """Names the data centre, because a wrong CASSANDRA_LOCAL_DC looks the same to the driver."""
    if isinstance(error, NoHostAvailable):
        return f"no node of {settings.CASSANDRA_LOCAL_DC} can be reached: {error.args[0]} {error.errors or ''}".rstrip()
    return str(error)
