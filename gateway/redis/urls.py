"""Addresses of Redis databases."""

from urllib.parse import urlsplit, urlunsplit

DEFAULT_PORT = 6379


def is_same_server(url: str, other: str) -> bool:
    """Whether both addresses name one server, in whatever database and with whatever credentials."""
    first, second = urlsplit(url), urlsplit(other)
    return (first.hostname, first.port or DEFAULT_PORT) == (second.hostname, second.port or DEFAULT_PORT)


def next_database(url: str) -> str:
    """The database after the one that the address names, on the same server."""
    parts = urlsplit(url)
    number = int(parts.path.strip("/") or 0)
    return urlunsplit(parts._replace(path=f"/{number + 1}"))


def verifying(url: str) -> str:
    """The address, completed so that Celery checks the server's certificate, as it does not by a bare `rediss://`."""
    parts = urlsplit(url)
    if parts.scheme != "rediss" or "ssl_cert_reqs=" in parts.query:
        return url
    query = "&".join(filter(None, (parts.query, "ssl_cert_reqs=required")))
    return urlunsplit(parts._replace(query=query))
