"""Devices and networks where an account has signed in before: they tell its owner from strangers who guess.

A device proves it by a cookie; a network is remembered. Both are bound to the account's password and session
generation: a new password, or signing out everywhere, makes strangers of them all. Neither lets anybody in.
"""

import re
import secrets
import time
from base64 import urlsafe_b64encode

from django.conf import settings
from django.utils.crypto import constant_time_compare, salted_hmac
from redis import Redis

from gateway.accounts.models import User
from gateway.redis.clients import ask_cache_blocking
from gateway.web.http import UNKNOWN

COOKIE = "known_device"
COOKIE_SECONDS = 365 * 24 * 3600
# A family's computer; the longest ago is forgotten.
ACCOUNTS_PER_DEVICE = 5
# Home, work, the phone's own network and some travelling.
NETWORKS_PER_ACCOUNT = 20
NETWORK_SECONDS = 30 * 24 * 3600

_SIZE = 16
# The device's id and a tag for each account.
_PROOF = re.compile(rf"[\w-]{{22}}(\.[\w-]{{22}}){{1,{ACCOUNTS_PER_DEVICE}}}", re.ASCII)


def proven_device(proof: str | None, user: User) -> str | None:
    """The id of the device, if the cookie proves that this account has signed in there; else None."""
    if proof is None or not _PROOF.fullmatch(proof):
        return None
    device, *tags = proof.split(".")
    expected = _tags(device, user)
    return device if any(constant_time_compare(tag, one) for tag in tags for one in expected) else None


def device_proof(user: User, before: str | None) -> str:
    """The cookie for a device where this account signs in; `before`: the device's cookie until now, if any."""
    device, *tags = before.split(".") if before and _PROOF.fullmatch(before) else [secrets.token_urlsafe(_SIZE)]
    today, *earlier = _tags(device, user)
    others = [tag for tag in tags if tag not in (today, *earlier)]
    return ".".join([device, today, *others][: ACCOUNTS_PER_DEVICE + 1])


def is_known_network(network: str, user: User) -> bool:
    """Whether the account has signed in from this network lately. Costs the same for an account that does not exist."""
    key, long_ago = _key(user), time.time() - NETWORK_SECONDS
    seen = ask_cache_blocking(lambda redis: redis.zscore(key, network))
    return isinstance(seen, float) and seen > long_ago


def remember_network(network: str, user: User) -> None:
    """Note that the account has signed in from this network."""
    if network == UNKNOWN:
        return
    key, now = _key(user), time.time()

    def remember(redis: Redis) -> None:
        pipeline = redis.pipeline()
        pipeline.zadd(key, {network: now})
        pipeline.zremrangebyrank(key, 0, -1 - NETWORKS_PER_ACCOUNT)
        pipeline.expire(key, NETWORK_SECONDS)
        pipeline.execute()

    ask_cache_blocking(remember)


def _tags(device: str, user: User) -> list[str]:
    """The account's tags in the device's cookie: under today's secret key, then under the earlier ones."""
    keys = [settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS]
    return [_tag(f"{device}:{auth}", key) for auth, key in zip(user.session_auth_hashes(), keys, strict=True)]


def _tag(text: str, key: str) -> str:
    digest = salted_hmac("accounts.known_device", text, secret=key, algorithm="sha256").digest()
    return urlsafe_b64encode(digest[:_SIZE]).rstrip(b"=").decode()


def _key(user: User) -> str:
    return f"known-networks:{_tag(user.get_session_auth_hash(), settings.SECRET_KEY)}"
