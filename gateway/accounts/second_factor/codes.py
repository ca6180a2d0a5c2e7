"""One-time codes and recovery codes. The secret is made from a random salt and SECRET_KEY, and stored nowhere."""

import secrets
from base64 import b32encode
from time import time as now

from django.conf import settings
from django.utils.crypto import constant_time_compare, salted_hmac
from pyotp.totp import TOTP

from gateway.accounts.documents import SecondFactorDocument
from gateway.accounts.models import SecondFactor, User
from gateway.mongo.client import collection_of

FACTORS = SecondFactor._meta.db_table
STEP_SECONDS = 30
# A telephone's clock may be off by half a minute.
DRIFT = 1
RECOVERY_CODES = 10
_RECOVERY_BYTES = 5
_SECRET_BYTES = 20
ISSUER = "Мобильный мир"


def pending_secret(user: User) -> str:
    """The secret that the telephone is to be given: the same until it has shown a code."""
    fresh = {"salt": secrets.token_urlsafe(24), "last_step": 0, "recovery": []}
    collection_of(FACTORS, SecondFactorDocument).update_one(
        {"_id": str(user.pk), "confirmed": False}, {"$setOnInsert": fresh}, upsert=True
    )
    found = _factor(user)
    if found is None:
        raise RuntimeError("it was just made")
    return _secrets(found["salt"])[0]


def enrolment_address(user: User, secret: str) -> str:
    """What the QR code says to the telephone."""
    return TOTP(secret, interval=STEP_SECONDS).provisioning_uri(name=user.email, issuer_name=ISSUER)


def new_recovery_codes() -> list[str]:
    """Codes to be kept on paper, each good for one sign-in without the telephone."""
    return [_grouped(b32encode(secrets.token_bytes(_RECOVERY_BYTES)).decode()) for _ in range(RECOVERY_CODES)]


def hashed(code: str) -> list[str]:
    """Keyed hashes of a recovery code, under today's SECRET_KEY first."""
    text = "".join(sign for sign in code.upper() if sign.isalnum())
    keys = [settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS]
    return [salted_hmac("accounts.recovery", text, secret=key, algorithm="sha256").hexdigest() for key in keys]


def accept_code(user: User, code: str, *, confirmed: bool = True) -> bool:
    """Whether the code is right. It is then used up, also against somebody who types it at the same moment."""
    factor = _factor(user)
    if factor is None or factor["confirmed"] is not confirmed:
        return False
    digits = "".join(sign for sign in code if sign.isdecimal() and sign.isascii())
    if len(digits) == 6 and (step := _step_of(factor, digits)) is not None:
        return _use_step(user, step)
    return confirmed and _use_recovery(user, code)


def _factor(user: User) -> SecondFactorDocument | None:
    return collection_of(FACTORS, SecondFactorDocument).find_one({"_id": str(user.pk)})


def _step_of(factor: SecondFactorDocument, digits: str) -> int | None:
    """The half minute that the code belongs to; None: to none that is near."""
    current = int(now()) // STEP_SECONDS
    codes = {
        step: TOTP(secret, interval=STEP_SECONDS).at(step * STEP_SECONDS)
        for secret in _secrets(factor["salt"])
        for step in range(current - DRIFT, current + DRIFT + 1)
    }
    right = [step for step, code in codes.items() if constant_time_compare(code, digits)]
    return right[0] if right else None


def _use_step(user: User, step: int) -> bool:
    used = {"_id": str(user.pk), "last_step": {"$lt": step}}
    factors = collection_of(FACTORS, SecondFactorDocument)
    return factors.update_one(used, {"$set": {"last_step": step}}).modified_count == 1


def _use_recovery(user: User, code: str) -> bool:
    factors = collection_of(FACTORS, SecondFactorDocument)
    return any(
        factors.update_one({"_id": str(user.pk), "recovery": each}, {"$pull": {"recovery": each}}).modified_count
        for each in hashed(code)
    )


def _secrets(salt: str) -> list[str]:
    """The secret under today's SECRET_KEY, then under the earlier ones."""
    keys = [settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS]
    digests = [salted_hmac("accounts.second_factor", salt, secret=key, algorithm="sha256").digest() for key in keys]
    return [b32encode(digest[:_SECRET_BYTES]).decode() for digest in digests]


def _grouped(code: str) -> str:
    return f"{code[:4]}-{code[4:]}"
