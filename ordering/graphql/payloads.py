"""What the mutations of the orders take and answer."""

from decimal import Decimal

import strawberry

from cart.graphql.types import Cart
from gateway.domain.texts import Language
from gateway.graphql.user_errors import MutationWarning, UserError
from ordering.checkout.request import AddressDetails, ContactDetails, Purchase
from ordering.graphql.types import Order
from ordering.ledger.ledger import RefundLine


@strawberry.input
class ContactInput:
    name: str
    email: str
    phone: str


@strawberry.input
class AddressInput:
    city: str
    street: str
    postcode: str | None = ""
    comment: str | None = ""


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
        address = self.shipping_address
        return Purchase(
            geozone=self.geozone,
            contact=ContactDetails(self.contact.name, self.contact.email, self.contact.phone),
            shipping_address=AddressDetails(
                address.city, address.street, address.postcode or "", address.comment or ""
            ),
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
