"""Tables of the frame itself, found here by `gateway.cassandra.table.declared_tables`."""

from gateway.cassandra.partition_stats import PARTITION_STATS

TABLES = (PARTITION_STATS,)
