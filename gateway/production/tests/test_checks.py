"""Production refuses to start with unsafe settings, and says which."""

import os
import subprocess
import sys
from ipaddress import ip_network
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.checks import run_checks
from django.test import override_settings

SAFE = {
    "PRODUCTION": True,
    "SECRET_KEY": "s" * 50,
    "DEBUG": False,
    "ALLOWED_HOSTS": ["shop.example"],
    "SESSION_COOKIE_SECURE": True,
    "CSRF_COOKIE_SECURE": True,
    "SECURE_SSL_REDIRECT": True,
    "SECURE_HSTS_SECONDS": 3600,
    "STAFF_SECOND_FACTOR": "required",
    "BEHIND_TLS_PROXY": True,
    "TRUSTED_PROXIES": [ip_network("10.0.0.0/8"), ip_network("fd00::1")],
    "CASSANDRA_CAP_REPLICATION": False,
    "TRUSTED_NETWORK": False,
    "CASSANDRA_CONTACT_POINTS": ["cassandra:9042"],
    "CASSANDRA_USERNAME": "gateway",
    "CASSANDRA_PASSWORD": "secret",
    "CASSANDRA_TLS": True,
    "MONGODB_URI": "mongodb://gateway:secret@mongos1,mongos2/?tls=true",
    "REDIS_URL": "rediss://:secret@redis:6379/0",
    "REDIS_CACHE_URL": "rediss://:secret@redis-cache:6379/0",
    "CELERY_BROKER_URL": "rediss://:secret@redis:6379/0",
    "LOGGING": {"format": "json", "level": "INFO", "error_texts": False},
    "GRAPHQL_INTROSPECTION": False,
    "GRAPHQL_SUGGESTIONS": False,
    "GRAPHIQL": False,
    "GRAPHQL_CORS_ORIGINS": ["https://shop.example"],
    "PAYMENT_WEBHOOK_SECRETS": ["p" * 32, "q" * 32],
    "EMAIL_HOST": "smtp.example",
    "STOREFRONT_URL": "https://shop.example",
    "PAYMENT_PAGE_URL": "https://pay.example/start",
    "MEDIA_S3_BUCKET": "pictures",
}

WITHOUT_CREDENTIALS = [
    ("MONGODB_URI", "mongodb://mongos1,mongos2/?tls=true"),
    ("MONGODB_URI", "mongodb+srv://shop.example/"),
    # A user without a password is none.
    ("MONGODB_URI", "mongodb://gateway@mongos/?tls=true"),
    ("CASSANDRA_USERNAME", ""),
    ("CASSANDRA_PASSWORD", ""),
    ("REDIS_URL", "rediss://redis:6379/0"),
    ("REDIS_CACHE_URL", "rediss://redis-cache:6379/0"),
    ("CELERY_BROKER_URL", "rediss://redis:6379/0"),
    ("REDIS_URL", "rediss://gateway@redis:6379/0"),
]
IN_THE_CLEAR = [
    ("MONGODB_URI", "mongodb://gateway:secret@mongos1,mongos2/"),
    ("MONGODB_URI", "mongodb://gateway:secret@127.0.0.1,mongos2/?ssl=false"),
    ("MONGODB_URI", "mongodb+srv://gateway:secret@shop.example/?tls=false"),
    ("CASSANDRA_TLS", False),
    ("REDIS_URL", "redis://:secret@redis:6379/0"),
    ("REDIS_CACHE_URL", "redis://:secret@redis-cache:6379/0"),
    ("CELERY_BROKER_URL", "redis://:secret@redis:6379/0"),
    ("CELERY_BROKER_URL", "amqp://gateway:secret@broker/"),
]


def problems(**unsafe: Any) -> list[str | None]:
    with override_settings(**{**SAFE, **unsafe}):
        return [message.id for message in run_checks(tags=["production"])]


def test_safe_production_passes() -> None:
    assert problems() == []


@pytest.mark.parametrize(
    ("unsafe", "problem"),
    [
        ({"SECRET_KEY": settings.DEVELOPMENT_SECRET_KEY}, "gateway.E001"),
        ({"SECRET_KEY": "short"}, "gateway.E001"),
        ({"SECRET_KEY_FALLBACKS": ["k" * 50, settings.DEVELOPMENT_SECRET_KEY]}, "gateway.E020"),
        ({"SECRET_KEY_FALLBACKS": ["short"]}, "gateway.E020"),
        ({"TRUSTED_PROXIES": []}, "gateway.E021"),
        ({"TRUSTED_PROXIES": [ip_network("0.0.0.0/0")]}, "gateway.E022"),
        ({"TRUSTED_PROXIES": [ip_network("::/0")]}, "gateway.E022"),
        ({"TRUSTED_PROXIES": [ip_network("0.0.0.0/1"), ip_network("128.0.0.0/1")]}, "gateway.E022"),
        ({"DEBUG": True}, "gateway.E002"),
        ({"ALLOWED_HOSTS": []}, "gateway.E003"),
        ({"ALLOWED_HOSTS": ["*"]}, "gateway.E003"),
        ({"SESSION_COOKIE_SECURE": False}, "gateway.E004"),
        ({"CSRF_COOKIE_SECURE": False}, "gateway.E004"),
        ({"CASSANDRA_CAP_REPLICATION": True}, "gateway.E005"),
        *(({setting: url}, "gateway.E024") for setting, url in WITHOUT_CREDENTIALS),
        *(({setting: url, "TRUSTED_NETWORK": True}, "gateway.W021") for setting, url in WITHOUT_CREDENTIALS),
        *(({setting: url}, "gateway.W020") for setting, url in IN_THE_CLEAR),
        ({"REDIS_CACHE_URL": "rediss://:secret@redis:6379/1"}, "gateway.W022"),
        ({"CELERY_BROKER_URL": "rediss://:secret@redis-cache/1"}, "gateway.W022"),
        ({"SECURE_SSL_REDIRECT": False}, "gateway.W004"),
        ({"STAFF_SECOND_FACTOR": "optional"}, "gateway.W023"),
        ({"SECURE_HSTS_SECONDS": 0}, "gateway.W005"),
        ({"LOGGING": {"format": "json", "level": "DEBUG", "error_texts": False}}, "gateway.W006"),
        ({"LOGGING": {"format": "json", "level": "INFO", "error_texts": True}}, "gateway.E023"),
        ({"GRAPHQL_SERVER_TOKENS": ["short"]}, "gateway.E006"),
        ({"PAYMENT_WEBHOOK_SECRETS": []}, "gateway.E007"),
        ({"PAYMENT_WEBHOOK_SECRETS": ["p" * 32, settings.DEVELOPMENT_PAYMENT_SECRET]}, "gateway.E007"),
        ({"PAYMENT_WEBHOOK_SECRETS": ["p" * 32, "short"]}, "gateway.E007"),
        ({"EMAIL_USE_TLS": True, "EMAIL_USE_SSL": True}, "gateway.E008"),
        ({"EMAIL_HOST": ""}, "gateway.W009"),
        ({"STOREFRONT_URL": ""}, "gateway.W027"),
        ({"STOREFRONT_URL": "http://shop.example"}, "gateway.W027"),
        ({"PAYMENT_PAGE_URL": settings.DEVELOPMENT_PAYMENT_PAGE}, "gateway.E026"),
        ({"PAYMENT_PAGE_URL": "http://pay.example/start"}, "gateway.E026"),
        ({"MEDIA_S3_ACCESS_KEY": "gateway"}, "gateway.E025"),
        ({"MEDIA_S3_BUCKET": ""}, "gateway.W024"),
        ({"MEDIA_S3_ENDPOINT": "http://storage.example"}, "gateway.W025"),
        ({"ADMIN_IMAGE_HOSTS": ["http://img.example"]}, "gateway.W026"),
        ({"GRAPHQL_INTROSPECTION": True}, "gateway.W007"),
        ({"GRAPHQL_SUGGESTIONS": True}, "gateway.W007"),
        ({"GRAPHIQL": True}, "gateway.W007"),
        ({"GRAPHQL_CORS_ORIGINS": ["*"]}, "gateway.W008"),
    ],
    ids=str,
)
def test_unsafe_setting_is_named(unsafe: dict[str, Any], problem: str) -> None:
    assert problems(**unsafe) == [problem]


@pytest.mark.parametrize(
    "safe",
    [
        {"MONGODB_URI": "mongodb+srv://gateway:secret@shop.example/"},
        {"MONGODB_URI": "mongodb://mongos/?authMechanism=MONGODB-X509&tls=true&tlsCertificateKeyFile=/gateway.pem"},
        {"MONGODB_URI": "mongodb://gateway:secret@127.0.0.1:27017,[::1]:27017/"},
        {"REDIS_URL": "redis://:secret@localhost:6379/0"},
        {"REDIS_URL": "unix://:secret@/run/redis.sock"},
        {"CASSANDRA_CONTACT_POINTS": ["127.0.0.1:9042"], "CASSANDRA_TLS": False},
        {"CASSANDRA_CONTACT_POINTS": [], "CASSANDRA_USERNAME": "", "CASSANDRA_PASSWORD": "", "CASSANDRA_TLS": False},
    ],
    ids=str,
)
def test_other_ways_to_be_safe_pass(safe: dict[str, Any]) -> None:
    assert problems(**safe) == []


def test_without_any_proxy_none_needs_to_be_trusted() -> None:
    assert problems(TRUSTED_PROXIES=[], BEHIND_TLS_PROXY=False) == []


def test_development_is_not_bothered() -> None:
    assert problems(PRODUCTION=False, SECRET_KEY="short", DEBUG=True) == []


@pytest.mark.parametrize(
    "command",
    [
        ("uvicorn", "gateway.asgi:application", "--port", "0"),
        ("celery", "-A", "gateway", "worker", "--concurrency", "1"),
        ("celery", "-A", "gateway", "beat"),
    ],
    ids=["web", "worker", "beat"],
)
def test_nothing_starts_with_unsafe_production_settings(command: tuple[str, ...], tmp_path: Path) -> None:
    environment = {
        **os.environ,
        "GATEWAY_ENV": "production",
        "DJANGO_SETTINGS_MODULE": "gateway.settings",
        "PYTHONPATH": str(settings.BASE_DIR),
    }

    # In a directory of its own, where beat leaves its schedule file.
    started = subprocess.run(
        [sys.executable, "-m", *command],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )

    assert started.returncode == 1
    assert "gateway.E001" in started.stderr
    # The servers of the tests know no passwords.
    assert "MONGODB_URI has no credentials" in started.stderr
    assert "REDIS_URL has no credentials" in started.stderr
