"""Caching of answers by others: as long as the strictest read in the answer allows."""

import hashlib
from collections.abc import Collection

from gateway.mongo.policies import Policy

NO_STORE = "private, no-store"


def max_age(policies: Collection[Policy]) -> int:
    """Seconds that the answer may be cached; 0: not at all, as when no read of it is known."""
    allowances = [policy.allowance or 0 for policy in policies]
    return int(min(allowances, default=0))


def wants_anew(cache_control: str | None) -> bool:
    """Whether the request asks for an answer made now."""
    directives = {directive.strip().lower() for directive in (cache_control or "").split(",")}
    return not directives.isdisjoint({"no-cache", "no-store", "max-age=0"})


def cached_headers(body: bytes, seconds: int) -> dict[str, str]:
    return {"cache-control": f"public, max-age={seconds}", "etag": f'"{hashlib.sha256(body).hexdigest()[:32]}"'}


def is_known(etag: str, if_none_match: str | None) -> bool:
    """Whether the client has this very answer already."""
    offered = [tag.strip().removeprefix("W/") for tag in (if_none_match or "").split(",")]
    return etag in offered or "*" in offered
