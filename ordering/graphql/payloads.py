"""What the mutations of the orders take and answer."""

from decimal import Decimal

import strawberry

from cart.graphql.types import Cart
from gateway.domain.texts import Language
from gateway.graphql.user_errors import MutationWarning, UserError
from ordering.checkout.request import Purchase
from ordering.graphql.types import Order
from ordering.ledger.ledger import RefundLine
from ordering.lifecycle.contacts import AddressDetails, ContactDetails
from ordering.lifecycle.details import Details


@strawberry.input
class ContactInput:
    name: str
    email: str
    phone: str

    def details(self) -> ContactDetails:
        return ContactDetails(self.name, self.email, self.phone)


@strawberry.input
class AddressInput:
    city: str
    street: str
    postcode: str | None = ""
    comment: str | None = ""

    def details(self) -> AddressDetails:
        return AddressDetails(self.city, self.street, self.postcode or "", self.comment or "")


@strawberry.input
class OrderDetailsInput:
    contact: ContactInput | None = None
    shipping_address: AddressInput | None = None

    def details(self) -> Details:
        return Details(
            contact=self.contact.details() if self.contact else None,
            address=self.shipping_address.details() if self.shipping_address else None,
        )


@strawberry.input
class CheckoutInput:
    geozone: str
    contact: ContactInput
    shipping_address: AddressInput
    expected_total: Decimal = strawberry.field(
        description="What the buyer was shown. A higher total now is PRICE_CHANGED and nothing is bought; "
        "a lower one is charged, with a warning."
    )
    client_key: str | None = strawberry.field(
        default=strawberry.UNSET,
        description="Any string that the client makes once per attempt to buy: repeating it returns the same order, "
        "with the warning REPLAYED. With other input it is CONFLICT. A refused attempt leaves its key free.",
    )

    def purchase(self, language: Language) -> Purchase:
        return Purchase(
            geozone=self.geozone,
            contact=self.contact.details(),
            shipping_address=self.shipping_address.details(),
            expected_total=self.expected_total,
            client_key=None if self.client_key is strawberry.UNSET else self.client_key,
            language=language,
        )


@strawberry.input
class RefundLineInput:
    product_id: str
    quantity: int

    def line(self) -> RefundLine:
        return RefundLine(self.product_id, self.quantity)


@strawberry.type
class CheckoutPayload:
    user_errors: list[UserError]
    warnings: list[MutationWarning]
    order: Order | None = None
    cart: Cart | None = strawberry.field(
        default=None, description="The cart as it stands, with fresh prices, when nothing was bought."
    )


@strawberry.type
class OrderPayload:
    user_errors: list[UserError]
    order: Order | None = None
