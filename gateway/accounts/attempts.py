"""Failed attempts to sign in, counted in Redis per account and per address. Without Redis nobody is counted.

An attempt is counted before the password is looked at and taken back when it was right: however many guesses come at
once, no more than the limit are looked at.
"""

import hashlib
import math
from typing import NamedTuple

import structlog
from django.conf import settings
from redis.exceptions import RedisError

from gateway.accounts.errors import TooManyFailures
from gateway.accounts.models import normalize_email
from gateway.redis import cache_client

log = structlog.get_logger(__name__)

# The window begins with the first attempt and is not prolonged by further ones: whoever waits is let in.
_COUNT = """
local longest = 0
for i = 1, #KEYS do
  local count = redis.call('INCR', KEYS[i])
  if count == 1 then redis.call('EXPIRE', KEYS[i], ARGV[1]) end
  if count > tonumber(ARGV[i + 1]) then longest = math.max(longest, redis.call('TTL', KEYS[i]), 1) end
end
return longest
"""
_TAKE_BACK = """
for i = 1, #KEYS do
  if tonumber(redis.call('GET', KEYS[i]) or 0) > 0 then redis.call('DECR', KEYS[i]) end
end
"""


class Attempt(NamedTuple):
    account: str
    address: str

    def take_back(self) -> None:
        """It was no failure after all."""
        try:
            cache_client().register_script(_TAKE_BACK)(keys=list(self))
        except RedisError as error:
            log.warning("attempt_not_taken_back", error=type(error).__name__)


def begin(email: str, client: str) -> Attempt:
    """Count one, or raise TooManyFailures."""
    # So that Redis holds no list of customers.
    hashed = hashlib.sha256(normalize_email(email).encode(errors="replace")).hexdigest()
    attempt = Attempt(account=f"attempts:account:{hashed}", address=f"attempts:address:{client}")
    limits = (settings.SIGN_IN_FAILURES_PER_ACCOUNT, settings.SIGN_IN_FAILURES_PER_ADDRESS)
    try:
        seconds = cache_client().register_script(_COUNT)(
            keys=list(attempt), args=(settings.SIGN_IN_WINDOW_SECONDS, *limits)
        )
    except RedisError as error:
        log.warning("attempt_not_counted", error=type(error).__name__)
        return attempt
    if seconds:
        raise TooManyFailures(minutes=math.ceil(int(seconds) / 60))
    return attempt
