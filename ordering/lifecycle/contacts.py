"""To whom and where an order goes: as somebody typed it, checked, in one spelling."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass

from gateway.domain.contacts import phone_digits
from gateway.domain.errors import DomainError
from gateway.domain.input import BadEmail, HoldsLink, holds_link, is_email, text_errors
from ordering.documents import Address, Contact
from ordering.errors import BadPhone

# As long as the fields of the documents.
LIMITS = {"name": 150, "email": 254, "phone": 32, "city": 100, "street": 200, "postcode": 16, "comment": 500}
OPTIONAL = {"postcode", "comment"}
CHECKED_OTHERWISE = {"email", "phone"}


@dataclass(frozen=True, slots=True)
class ContactDetails:
    name: str
    email: str
    phone: str

    def tidy(self) -> "ContactDetails":
        return ContactDetails(*(value.strip() for value in asdict(self).values()))

    def document(self) -> Contact:
        return {"name": self.name, "email": self.email, "phone": self.phone}


@dataclass(frozen=True, slots=True)
class AddressDetails:
    city: str
    street: str
    postcode: str = ""
    comment: str = ""

    def tidy(self) -> "AddressDetails":
        return AddressDetails(*(value.strip() for value in asdict(self).values()))

    def document(self) -> Address:
        return {"city": self.city, "street": self.street, "postcode": self.postcode, "comment": self.comment}


def contact_errors(contact: ContactDetails) -> Iterator[DomainError]:
    """What is wrong with it, about fields of `contact`."""
    yield from _text_errors("contact", asdict(contact))
    if contact.email and not is_email(contact.email):
        yield BadEmail("contact", "email")
    if contact.phone and phone_digits(contact.phone) is None:
        yield BadPhone("contact", "phone", phone=contact.phone)


def address_errors(address: AddressDetails, part: str = "shipping_address") -> Iterator[DomainError]:
    """What is wrong with it, about fields of `part`."""
    yield from _text_errors(part, asdict(address))


def _text_errors(part: str, details: dict[str, str]) -> Iterator[DomainError]:
    for field, value in details.items():
        required, lines = field not in OPTIONAL, field == "comment"
        errors = text_errors(value, LIMITS[field], part, field, required=required, lines=lines)
        yield from errors
        # All of these stand in letters, which go to whatever address the buyer gave.
        if not errors and field not in CHECKED_OTHERWISE and holds_link(value):
            yield HoldsLink(part, field)
