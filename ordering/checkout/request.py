"""What a buyer sends to buy: checked, in one spelling, with a fingerprint by which the same is known again."""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from decimal import Decimal

from gateway.domain.contacts import phone_digits
from gateway.domain.errors import DomainError, Refused
from gateway.domain.input import BadEmail, HoldsLink, holds_link, is_email, normal_key, text_errors
from gateway.domain.texts import DEFAULT_LANGUAGE, Language
from ordering.errors import BadAmount, BadPhone

MAX_CLIENT_KEY = 100
MAX_GEOZONE = 16
# As long as the fields of the documents.
LIMITS = {"name": 150, "email": 254, "phone": 32, "city": 100, "street": 200, "postcode": 16, "comment": 500}
OPTIONAL = {"postcode", "comment"}
CHECKED_OTHERWISE = {"email", "phone"}


@dataclass(frozen=True, slots=True)
class ContactDetails:
    name: str
    email: str
    phone: str


@dataclass(frozen=True, slots=True)
class AddressDetails:
    city: str
    street: str
    postcode: str = ""
    comment: str = ""


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
        contact=ContactDetails(*(value.strip() for value in asdict(purchase.contact).values())),
        shipping_address=AddressDetails(*(value.strip() for value in asdict(purchase.shipping_address).values())),
        expected_total=purchase.expected_total,
        client_key=normal_key(purchase.client_key) if purchase.client_key else None,
        language=purchase.language,
    )
    if errors := list(_errors(tidy)):
        raise Refused(errors)
    return tidy


def _errors(purchase: Purchase) -> Iterator[DomainError]:
    for part, details in (("contact", purchase.contact), ("shipping_address", purchase.shipping_address)):
        for field, value in asdict(details).items():
            required, lines = field not in OPTIONAL, field == "comment"
            errors = text_errors(value, LIMITS[field], part, field, required=required, lines=lines)
            yield from errors
            # All of these stand in letters, which go to whatever address the buyer gave.
            if not errors and field not in CHECKED_OTHERWISE and holds_link(value):
                yield HoldsLink(part, field)
    if purchase.contact.email and not is_email(purchase.contact.email):
        yield BadEmail("contact", "email")
    if purchase.contact.phone and phone_digits(purchase.contact.phone) is None:
        yield BadPhone("contact", "phone")
    if not purchase.expected_total.is_finite() or purchase.expected_total < 0:
        yield BadAmount("expected_total")
    if purchase.client_key is not None:
        yield from text_errors(purchase.client_key, MAX_CLIENT_KEY, "client_key")
    yield from text_errors(purchase.geozone, MAX_GEOZONE, "geozone")
