"""Why a change of a cart is refused."""

from gateway.domain.errors import Code, DomainError
from gateway.domain.texts import Text


class NothingGiven(DomainError):
    code = Code.REQUIRED
    text = Text("Назовите хотя бы один товар.", "Name at least one product.")


class NotAProduct(DomainError):
    """What was given is not the id of a product."""

    code = Code.NOT_FOUND
    text = Text("Такого товара нет.", "There is no such product.")


class UnknownProduct(DomainError):
    code = Code.NOT_FOUND
    text = Text("Товара {product_id} нет.", "There is no product {product_id}.")


class ProductWithdrawn(DomainError):
    code = Code.PRODUCT_WITHDRAWN
    text = Text("«{name}» больше не продаётся.", '"{name}" is no longer sold.')


class QuantityLimit(DomainError):
    code = Code.QUANTITY_LIMIT
    text = Text(
        "«{name}»: количество — от {least} до {most}, а не {quantity}.",
        '"{name}": a quantity is between {least} and {most}, not {quantity}.',
    )


class CartFull(DomainError):
    code = Code.CART_LIMIT
    text = Text(
        "В корзине не больше {limit} разных товаров: «{name}» уже не поместится.",
        'A cart holds at most {limit} different products: there is no room for "{name}".',
    )


class NamedTwice(DomainError):
    code = Code.INVALID
    text = Text("«{name}» указано дважды: какое количество верно?", '"{name}" is named twice: which quantity is meant?')


class UnknownGeozone(DomainError):
    code = Code.NOT_FOUND
    text = Text("Такой геозоны нет.", "There is no such geozone.")


class NotAbandoned(DomainError):
    code = Code.NOT_FOUND
    text = Text("Такой брошенной корзины нет.", "There is no such abandoned cart.")
