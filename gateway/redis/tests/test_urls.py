import pytest

from gateway.redis.urls import is_same_server, next_database, verifying


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("redis://127.0.0.1:6379/0", "redis://127.0.0.1:6379/1"),
        ("redis://127.0.0.1:6379", "redis://127.0.0.1:6379/1"),
        ("redis://127.0.0.1:6379/", "redis://127.0.0.1:6379/1"),
        (
            "rediss://user:secret@redis:6380/4?ssl_cert_reqs=none",
            "rediss://user:secret@redis:6380/5?ssl_cert_reqs=none",
        ),
    ],
)
def test_the_cache_lives_in_the_next_database_by_default(url: str, expected: str) -> None:
    assert next_database(url) == expected


@pytest.mark.parametrize(
    ("other", "same"),
    [
        ("redis://redis:6379/1", True),
        ("rediss://gateway:secret@redis", True),
        ("redis://redis:6380/0", False),
        ("redis://redis-cache:6379/0", False),
    ],
)
def test_one_server_is_told_from_another(other: str, same: bool) -> None:
    assert is_same_server("redis://:secret@redis:6379/0", other) is same


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("redis://redis:6379/0", "redis://redis:6379/0"),
        ("amqp://user:secret@broker/", "amqp://user:secret@broker/"),
        ("rediss://:secret@redis:6380/0", "rediss://:secret@redis:6380/0?ssl_cert_reqs=required"),
        (
            "rediss://redis/0?ssl_ca_certs=/ca.pem",
            "rediss://redis/0?ssl_ca_certs=/ca.pem&ssl_cert_reqs=required",
        ),
        ("rediss://redis/0?ssl_cert_reqs=none", "rediss://redis/0?ssl_cert_reqs=none"),
    ],
)
def test_certificate_of_the_broker_is_checked_unless_told_otherwise(url: str, expected: str) -> None:
    assert verifying(url) == expected
