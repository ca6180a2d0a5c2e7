"""Redis by TLS: the gateway's clients and Celery believe a server only by its certificate.

The server of the tests is a real one, but built without TLS: a terminator stands before it, as before many a Redis.
"""

import asyncio
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
from django.conf import settings as django_settings
from kombu import Connection
from kombu.exceptions import OperationalError
from pytest_django import Settings
from redis.exceptions import ConnectionError as RedisConnectionError

from gateway.celery import app
from gateway.redis import clients
from gateway.redis.urls import verifying
from gateway.tests.certificates import Certificates, make_certificates
from gateway.tests.terminator import tls_before


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    return make_certificates(tmp_path_factory.mktemp("redis"))


@pytest.fixture(scope="module")
def address(certificates: Certificates) -> Iterator[str]:
    url = urlsplit(django_settings.REDIS_URL)
    with tls_before(url.port or 6379, certificates) as port:
        yield f"127.0.0.1:{port}/{url.path.strip('/') or 0}"


@pytest.fixture
def fresh(settings: Settings) -> Iterator[Settings]:
    """Clients of these settings alone."""
    for client in (clients.redis_client, clients.cache_client):
        client.cache_clear()
    settings.REDIS_TIMEOUT = 10.0
    yield settings
    for client in (clients.redis_client, clients.cache_client):
        client.cache_clear()


def test_clients_speak_tls(fresh: Settings, address: str, certificates: Certificates) -> None:
    fresh.REDIS_URL = fresh.REDIS_CACHE_URL = f"rediss://{address}?ssl_ca_certs={certificates.authority}"

    async def ask() -> object:
        try:
            return await clients.ask_cache(lambda client: client.ping())
        finally:
            await clients.close_async_redis()

    assert clients.redis_client().ping() is True
    assert clients.cache_client().ping() is True
    assert asyncio.run(ask()) is True


@pytest.mark.parametrize("url", ["rediss://{address}", "redis://{address}"], ids=["unknown authority", "in the clear"])
def test_clients_refuse_a_server_they_cannot_believe(fresh: Settings, address: str, url: str) -> None:
    fresh.REDIS_URL = url.format(address=address)

    with pytest.raises(RedisConnectionError):
        clients.redis_client().ping()


def test_celery_sends_and_receives_by_tls(address: str, certificates: Certificates) -> None:
    url = verifying(f"rediss://{address}?ssl_ca_certs={certificates.authority}")
    options = app.conf.broker_transport_options
    with Connection(url, transport_options=options) as broker:
        queue = broker.SimpleQueue("tests-tls")
        queue.put({"sent": "by tls"})
        message = queue.get(timeout=10)
        message.ack()
        queue.close()

    assert message.payload == {"sent": "by tls"}


def test_celery_refuses_a_broker_it_cannot_believe(address: str) -> None:
    url = verifying(f"rediss://{address}")
    with (
        Connection(url, transport_options=app.conf.broker_transport_options) as broker,
        pytest.raises(OperationalError),
    ):
        broker.ensure_connection(max_retries=0, timeout=5)
