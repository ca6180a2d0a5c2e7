"""Cassandra's circuit, see gateway/circuit.py."""

from django.conf import settings

from gateway.cassandra.errors import CassandraUnavailable
from gateway.circuit import Circuit

CIRCUIT = Circuit("cassandra", pause=lambda: settings.CASSANDRA_CIRCUIT_SECONDS, away=CassandraUnavailable)
