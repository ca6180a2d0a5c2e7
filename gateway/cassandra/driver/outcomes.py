"""What an error of the driver means: about the cluster, for the circuit; and about the request, for the caller."""

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
    """Report errors raised inside to the circuit, and raise them as the types of gateway.cassandra.errors."""
    try:
        yield
    except CassandraError:
        raise
    except Exception as error:
        seen = judge(error)
        if seen is error:
            raise
        raise seen from error


def judge(error: Exception, *, answered: bool = False) -> Exception:
    """Report the error to the circuit; returns the error that the caller should see.

    `answered`: whether a node had answered before, that it cannot serve the request.
    """
    if answered or isinstance(error, NOT_SERVED) or _tried_and_not_served(error):
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
    """Whether nodes are there but could not serve the request: the driver says «no host available» then, too."""
    if not isinstance(error, NoHostAvailable) or not isinstance(error.errors, dict):
        return False
    return any(isinstance(reason, NOT_SERVED) for reason in error.errors.values())


def readable(error: Exception) -> str:
    """The error as text; it names the data centre, because a wrong CASSANDRA_LOCAL_DC looks like an outage."""
    if isinstance(error, NoHostAvailable):
        return f"no node of {settings.CASSANDRA_LOCAL_DC} can be reached: {error.args[0]} {error.errors or ''}".rstrip()
    return str(error)
