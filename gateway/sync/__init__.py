"""From documents to their rows in Cassandra, without loss: the document says what is owed. See docs/sync.md."""
