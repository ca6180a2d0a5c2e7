"""How the settings reach MongoDB, Cassandra and Redis: with or without credentials and encryption."""

import ipaddress
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import parse_qs, urlsplit

from django.conf import settings

TRUE = {"true", "1", "yes"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Store:
    """One server that the settings name, as far as its safety goes."""

    setting: str
    """The name of the setting that holds its address."""
    hosts: tuple[str, ...]
    has_credentials: bool
    is_encrypted: bool
    credentials_hint: str
    tls_hint: str

    @property
    def is_local(self) -> bool:
        """Whether nothing that is said to it leaves this machine."""
        return all(_is_loopback(host) for host in self.hosts)


def configured_stores() -> Iterator[Store]:
    """The servers that the settings name, one for each setting."""
    yield _mongodb(settings.MONGODB_URI)
    if settings.CASSANDRA_CONTACT_POINTS:
        yield _cassandra()
    for name in ("REDIS_URL", "REDIS_CACHE_URL", "CELERY_BROKER_URL"):
        yield _by_url(name, getattr(settings, name))


def _mongodb(uri: str) -> Store:
    # Not by urlsplit, which refuses an IPv6 address among several hosts.
    scheme, _, rest = uri.partition("://")
    before, _, query = rest.partition("?")
    credentials, _, hosts = before.partition("/")[0].rpartition("@")
    options = {name.lower(): values[-1].lower() for name, values in parse_qs(query).items()}
    # A certificate is a credential too; its user may be left out.
    by_certificate = options.get("authmechanism") == "mongodb-x509"
    # mongodb+srv has TLS unless it is switched off.
    tls = options.get("tls") or options.get("ssl") or ("true" if scheme == "mongodb+srv" else "false")
    return Store(
        setting="MONGODB_URI",
        hosts=tuple(_host(each) for each in hosts.split(",")),
        has_credentials=bool(credentials.partition(":")[2]) or by_certificate,
        is_encrypted=tls in TRUE,
        credentials_hint="mongodb://user:password@host/?authSource=admin",
        tls_hint="mongodb://…/?tls=true&tlsCAFile=/run/secrets/ca.pem",
    )


def _cassandra() -> Store:
    return Store(
        setting="CASSANDRA_CONTACT_POINTS",
        hosts=tuple(_host(point) for point in settings.CASSANDRA_CONTACT_POINTS),
        has_credentials=bool(settings.CASSANDRA_USERNAME and settings.CASSANDRA_PASSWORD),
        is_encrypted=settings.CASSANDRA_TLS,
        credentials_hint="CASSANDRA_USERNAME and CASSANDRA_PASSWORD",
        tls_hint="CASSANDRA_TLS=true and CASSANDRA_TLS_CA",
    )


def _by_url(setting: str, url: str) -> Store:
    """The store behind a URL: Redis, or whatever else Celery is given as its broker."""
    parts = urlsplit(url)
    return Store(
        setting=setting,
        hosts=(parts.hostname or "",),
        has_credentials=bool(parts.password),
        is_encrypted=parts.scheme in {"rediss", "amqps"},
        credentials_hint="redis://user:password@host:6379/0",
        tls_hint="rediss://…?ssl_ca_certs=/run/secrets/ca.pem",
    )


def _host(address: str) -> str:
    return urlsplit(f"//{address}").hostname or ""


def _is_loopback(host: str) -> bool:
    # A path is a socket of this machine; it has no host.
    if host in {"", "localhost"} or host.startswith("/"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
