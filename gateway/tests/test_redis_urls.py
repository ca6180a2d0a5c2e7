import pytest

from gateway.redis_urls import next_database


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
