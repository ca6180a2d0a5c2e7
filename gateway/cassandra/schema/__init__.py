"""Keyspaces, types and tables: what is declared, what is there, and what `manage.py cassandra apply` must do."""
