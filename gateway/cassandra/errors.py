"""Errors that callers of Cassandra must expect. The shop lives without it, so these are answers, not faults."""


class CassandraError(Exception):
    """There is no answer from Cassandra: take the data from MongoDB, or leave the work for later."""


class CassandraUnavailable(CassandraError):
    """Cassandra did not answer in time or could not serve the request. It may later."""


class CassandraNotConfigured(CassandraError):
    """CASSANDRA_CONTACT_POINTS is empty: there is no Cassandra, and waiting will not bring one."""

    def __init__(self) -> None:
        super().__init__("Cassandra is not configured (CASSANDRA_CONTACT_POINTS is empty)")
