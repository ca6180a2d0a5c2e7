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


@strawberry.input(description="Whom the shop writes to and calls about the order.")
class ContactInput:
    name: str = strawberry.field(description="Name of a person, up to 200 characters, without links.")
    email: str = strawberry.field(description='E-mail address, e.g. "ivan@example.com".')
    phone: str = strawberry.field(
        description='Telephone number in any usual writing, e.g. "+7 999 123-45-67" or "89991234567".'
    )

    def details(self) -> ContactDetails:
        return ContactDetails(self.name, self.email, self.phone)


@strawberry.input(description="Where to deliver. Texts that hold a link are refused.")
class AddressInput:
    city: str = strawberry.field(description="Town or city.")
    street: str = strawberry.field(description='Street, house and flat in one line, e.g. "Тверская, 1, кв. 5".')
    postcode: str | None = strawberry.field(default="", description='Postal code, e.g. "101000".')
    comment: str | None = strawberry.field(
        default="", description="What the courier should know, e.g. the code of the door."
    )

    def details(self) -> AddressDetails:
        return AddressDetails(self.city, self.street, self.postcode or "", self.comment or "")


@strawberry.input(description="What of an order is to be corrected; what is left out stays.")
class OrderDetailsInput:
    contact: ContactInput | None = strawberry.field(default=None, description="The contact as it should be, all of it.")
    shipping_address: AddressInput | None = strawberry.field(
        default=None, description="The address as it should be, all of it."
    )

    def details(self) -> Details:
        return Details(
            contact=self.contact.details() if self.contact else None,
            address=self.shipping_address.details() if self.shipping_address else None,
        )


@strawberry.input(description="What is needed to make an order of the cart.")
class CheckoutInput:
    geozone: str = strawberry.field(description='Where the goods are taken from: code of a geozone, e.g. "msk".')
    contact: ContactInput = strawberry.field(description="Who buys; letters about the order go there.")
    shipping_address: AddressInput = strawberry.field(description="Where to deliver.")
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


@strawberry.input(description="Pieces of one product of an order.")
class RefundLineInput:
    product_id: str = strawberry.field(description="OrderLine.productId")
    quantity: int = strawberry.field(description="How many pieces, at most as many as are left of it.")

    def line(self) -> RefundLine:
        return RefundLine(self.product_id, self.quantity)


@strawberry.type(description="What an attempt to buy has led to: an order, or the cart and the reasons.")
class CheckoutPayload:
    user_errors: list[UserError] = strawberry.field(
        description="Why nothing was done, for the person who asked; empty when it was done."
    )
    warnings: list[MutationWarning] = strawberry.field(
        description="PRICE_CHANGED when the total has fallen, REPLAYED when an earlier request made the order."
    )
    order: Order | None = strawberry.field(
        default=None,
        description="The order, unpaid: send the buyer to order.payment.url. Null when nothing was bought.",
    )
    cart: Cart | None = strawberry.field(
        default=None, description="The cart as it stands, with fresh prices, when nothing was bought."
    )


@strawberry.type(description="What a change of an order has led to.")
class OrderPayload:
    user_errors: list[UserError] = strawberry.field(
        description="Why nothing was done, for the person who asked; empty when it was done."
    )
    order: Order | None = strawberry.field(
        default=None,
        description="The order as it is now; also beside ILLEGAL_TRANSITION and CONFLICT, to show how it stands.",
    )
