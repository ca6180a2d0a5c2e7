"""Tables of the frame itself."""

from gateway.cassandra.partition_stats import PARTITION_STATS

TABLES = (PARTITION_STATS,)
