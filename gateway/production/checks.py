"""System checks that refuse settings which would make production unsafe. Web, workers and beat run them at start."""

import sys
from collections.abc import Iterator
from io import StringIO
from typing import Any

from django.conf import settings
from django.core import checks
from django.core.management import call_command
from django.core.management.base import SystemCheckError

from gateway.production.stores import Store, configured_stores
from gateway.redis.urls import is_same_server

# Django's own advice for a signing key.
MIN_SECRET_LENGTH = 50
# 128 bits, written in hexadecimal.
MIN_TOKEN_LENGTH = 32
# 10.0.0.0/8 and fc00::/7, by version of IP.
WIDEST_PRIVATE = {4: 8, 6: 7}


@checks.register("production")
def check_production(**_: Any) -> list[checks.CheckMessage]:
    if not settings.PRODUCTION:
        return []
    return [*_errors(), *_proxies(), *_warnings(), *_stores(), *_cache(), *_mail(), *_payment_page(), *_pictures()]


def refuse_unsafe_production() -> None:
    """End the process, naming what is wrong. For processes started without `manage.py`, which checks by itself."""
    try:
        call_command("check", "--tag", "production", stdout=StringIO())  # silent unless something is wrong
    except SystemCheckError as error:
        sys.stderr.write(f"{error}\n")
        raise SystemExit(1) from error


def _errors() -> Iterator[checks.Error]:
    if _is_weak(settings.SECRET_KEY):
        yield checks.Error(f"SECRET_KEY must be your own, at least {MIN_SECRET_LENGTH} characters.", id="gateway.E001")
    if any(
        key == settings.DEVELOPMENT_SECRET_KEY or len(key) < MIN_SECRET_LENGTH for key in settings.SECRET_KEY_FALLBACKS
    ):
        yield checks.Error(
            f"Each of SECRET_KEY_FALLBACKS must be a key of your own, of at least {MIN_SECRET_LENGTH} characters:"
            " sessions signed with it are believed.",
            id="gateway.E020",
        )
    if settings.DEBUG:
        yield checks.Error("DEBUG must be off: its error pages show settings and code.", id="gateway.E002")
    if not settings.ALLOWED_HOSTS or "*" in settings.ALLOWED_HOSTS:
        yield checks.Error("ALLOWED_HOSTS must name the hosts that are served.", id="gateway.E003")
    if not (settings.SESSION_COOKIE_SECURE and settings.CSRF_COOKIE_SECURE):
        yield checks.Error("SESSION_COOKIE_SECURE and CSRF_COOKIE_SECURE must be on.", id="gateway.E004")
    if settings.CASSANDRA_CAP_REPLICATION:
        yield checks.Error("CASSANDRA_CAP_REPLICATION must be off: it silently gives up replicas.", id="gateway.E005")
    if any(len(token) < MIN_TOKEN_LENGTH for token in settings.GRAPHQL_SERVER_TOKENS):
        yield checks.Error(
            f"Each of GRAPHQL_SERVER_TOKENS must have at least {MIN_TOKEN_LENGTH} characters: who guesses one is no"
            " longer throttled.",
            id="gateway.E006",
        )
    if settings.LOGGING["error_texts"]:
        yield checks.Error("LOG_ERROR_TEXTS must be off: errors quote what people typed.", id="gateway.E023")
    secrets = settings.PAYMENT_WEBHOOK_SECRETS
    if not secrets or any(
        secret == settings.DEVELOPMENT_PAYMENT_SECRET or len(secret) < MIN_TOKEN_LENGTH for secret in secrets
    ):
        yield checks.Error(
            f"PAYMENT_WEBHOOK_SECRETS must be your own, each of at least {MIN_TOKEN_LENGTH} characters: who guesses one"
            " pays with nothing.",
            id="gateway.E007",
        )


def _proxies() -> Iterator[checks.Error]:
    if settings.BEHIND_TLS_PROXY and not settings.TRUSTED_PROXIES:
        yield checks.Error(
            "TRUSTED_PROXIES is empty: all clients would share the proxy's limits, and none would be seen to use TLS.",
            hint="Name the proxy's address or network; without any proxy set BEHIND_TLS_PROXY=false.",
            id="gateway.E021",
        )
    if any(network.prefixlen < WIDEST_PRIVATE[network.version] for network in settings.TRUSTED_PROXIES):
        yield checks.Error(
            "TRUSTED_PROXIES trusts more than any private network: strangers could claim any address.",
            id="gateway.E022",
        )


def _is_weak(key: str) -> bool:
    """Whether anybody may know or guess the key."""
    return key == settings.DEVELOPMENT_SECRET_KEY or len(key) < MIN_SECRET_LENGTH


def _warnings() -> Iterator[checks.Warning]:
    if not settings.SECURE_SSL_REDIRECT:
        yield checks.Warning("SECURE_SSL_REDIRECT is off: whoever terminates TLS must redirect.", id="gateway.W004")
    if not settings.SECURE_HSTS_SECONDS:
        yield checks.Warning("SECURE_HSTS_SECONDS is 0: browsers may come back without TLS.", id="gateway.W005")
    if settings.LOGGING["level"] == "DEBUG":
        yield checks.Warning("LOG_LEVEL is DEBUG: queries with personal data reach the log.", id="gateway.W006")
    for name in ("GRAPHQL_INTROSPECTION", "GRAPHQL_SUGGESTIONS", "GRAPHIQL"):
        if getattr(settings, name):
            yield checks.Warning(f"{name} is on: it shows the whole API to anybody.", id="gateway.W007")
    if settings.STAFF_SECOND_FACTOR != "required":
        yield checks.Warning(
            f"STAFF_SECOND_FACTOR is {settings.STAFF_SECOND_FACTOR}: a password alone opens the admin.",
            hint="STAFF_SECOND_FACTOR=required",
            id="gateway.W023",
        )
    if "*" in settings.GRAPHQL_CORS_ORIGINS:
        yield checks.Warning("GRAPHQL_CORS_ORIGINS lets any site's pages call the API.", id="gateway.W008")


def _stores() -> Iterator[checks.CheckMessage]:
    for store in configured_stores():
        if not store.has_credentials:
            yield _without_credentials(store)
        if not store.is_encrypted and not store.is_local:
            yield checks.Warning(
                f"{store.setting} has no TLS: whoever hears the network learns what is said.",
                hint=store.tls_hint,
                id="gateway.W020",
            )


def _without_credentials(store: Store) -> checks.CheckMessage:
    said = f"{store.setting} has no credentials: whoever reaches that server owns the shop."
    if settings.TRUSTED_NETWORK:
        return checks.Warning(said, hint="TRUSTED_NETWORK allows it.", id="gateway.W021")
    return checks.Error(said, hint=f"{store.credentials_hint}, or TRUSTED_NETWORK=true.", id="gateway.E024")


def _cache() -> Iterator[checks.Warning]:
    kept = (settings.REDIS_URL, settings.CELERY_BROKER_URL)
    if any(is_same_server(settings.REDIS_CACHE_URL, url) for url in kept):
        yield checks.Warning(
            "REDIS_CACHE_URL is on the server of the broker: what strangers may write shares its memory.",
            hint="A Redis of its own with maxmemory and maxmemory-policy allkeys-lru.",
            id="gateway.W022",
        )


def _mail() -> Iterator[checks.CheckMessage]:
    if settings.EMAIL_USE_TLS and settings.EMAIL_USE_SSL:
        yield checks.Error("EMAIL_USE_TLS and EMAIL_USE_SSL exclude each other.", id="gateway.E008")
    if not settings.EMAIL_HOST:
        yield checks.Warning(
            "EMAIL_HOST is empty: letters to buyers go to the worker's output, to nobody else.", id="gateway.W009"
        )
    if not settings.STOREFRONT_URL.startswith("https://"):
        yield checks.Warning(
            "STOREFRONT_URL is no https:// address: letters to buyers lead nowhere, or in the clear.",
            id="gateway.W027",
        )


def _payment_page() -> Iterator[checks.Error]:
    if settings.PAYMENT_PAGE_URL and not settings.PAYMENT_PAGE_URL.startswith("https://"):
        yield checks.Error(
            "PAYMENT_PAGE_URL must be the https:// address of your payment page, or empty: the gateway's own page is"
            " for development and pays with nothing.",
            id="gateway.E026",
        )


def _pictures() -> Iterator[checks.CheckMessage]:
    if bool(settings.MEDIA_S3_ACCESS_KEY) != bool(settings.MEDIA_S3_SECRET_KEY):
        yield checks.Error("MEDIA_S3_ACCESS_KEY and MEDIA_S3_SECRET_KEY belong together.", id="gateway.E025")
    if not settings.MEDIA_S3_BUCKET:
        yield checks.Warning(
            f"Uploaded pictures are files in {settings.MEDIA_ROOT}: all web servers and workers must share it.",
            hint="MEDIA_S3_BUCKET keeps them in a bucket.",
            id="gateway.W024",
        )
    if settings.MEDIA_S3_ENDPOINT.startswith("http://"):
        yield checks.Warning(
            "MEDIA_S3_ENDPOINT has no TLS: whoever hears the network learns what is said.", id="gateway.W025"
        )
    if any(host.startswith("http://") for host in settings.ADMIN_IMAGE_HOSTS):
        yield checks.Warning(
            "ADMIN_IMAGE_HOSTS names a host without TLS: whoever hears the network changes what staff see.",
            id="gateway.W026",
        )
