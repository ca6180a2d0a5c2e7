"""Read models in Cassandra: tables declared once, read and written under their own policies. See docs/cassandra.md."""
