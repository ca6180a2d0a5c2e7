"""How requests travel: one connection per process, one circuit, bounded waits, errors of our own types."""
