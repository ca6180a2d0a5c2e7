"""What a buyer sends to buy: checked, in one spelling, with a fingerprint by which the same is known again."""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from decimal import Decimal

from gateway.domain.errors import DomainError, Refused
from gateway.domain.input import normal_key, text_errors
from gateway.domain.texts import DEFAULT_LANGUAGE, Language
from ordering.errors import BadAmount
from ordering.lifecycle.contacts import AddressDetails, ContactDetails, address_errors, contact_errors

MAX_CLIENT_KEY = 100
MAX_GEOZONE = 16


@dataclass(frozen=True, slots=True)
class Purchase:
    geozone: str
    contact: ContactDetails
    shipping_address: AddressDetails
    expected_total: Decimal
    client_key: str | None = None
    language: Language = DEFAULT_LANGUAGE
    """In which letters to the buyer are written."""

    @property
    def fingerprint(self) -> str:
        """A hash of what the buyer sent. Without the client's key, under which hashes are compared, and without the
        language, which is the device's."""
        content = asdict(self)
        del content["client_key"], content["language"]
        text = json.dumps(content, default=str, ensure_ascii=False, sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()


def checked(purchase: Purchase) -> Purchase:
    """The purchase without spaces around its texts, its key in the one form of keys. Raises Refused with all that is
    wrong with it."""
    tidy = Purchase(
        geozone=purchase.geozone.strip(),
        contact=purchase.contact.tidy(),
        shipping_address=purchase.shipping_address.tidy(),
        expected_total=purchase.expected_total,
        client_key=normal_key(purchase.client_key) if purchase.client_key else None,
        language=purchase.language,
    )
    if errors := list(_errors(tidy)):
        raise Refused(errors)
    return tidy


def _errors(purchase: Purchase) -> Iterator[DomainError]:
    yield from contact_errors(purchase.contact)
    yield from address_errors(purchase.shipping_address)
    if not purchase.expected_total.is_finite() or purchase.expected_total < 0:
        yield BadAmount("expected_total")
    if purchase.client_key is not None:
        yield from text_errors(purchase.client_key, MAX_CLIENT_KEY, "client_key")
    yield from text_errors(purchase.geozone, MAX_GEOZONE, "geozone")
