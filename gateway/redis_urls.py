"""Addresses of Redis databases."""

from urllib.parse import urlsplit, urlunsplit


def next_database(url: str) -> str:
    """The database after the one that the address names, on the same server."""
    parts = urlsplit(url)
    number = int(parts.path.strip("/") or 0)
    return urlunsplit(parts._replace(path=f"/{number + 1}"))
