"""The node of Cassandra that the tests kill and start."""

from gateway.cassandra.errors import CassandraUnavailable
from gateway.cassandra.reads import ping


def answers() -> bool:
    try:
        ping()
    except CassandraUnavailable:
        return False
    return True
