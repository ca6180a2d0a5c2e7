"""Why an order is not made, or not moved."""

from gateway.domain_errors import Code, DomainError
from gateway.texts import Text


class Missing(DomainError):
    code = Code.REQUIRED
    text = Text("Обязательное поле.", "This is required.")


class TooLong(DomainError):
    code = Code.INVALID
    text = Text("Не длиннее {limit} знаков.", "At most {limit} characters.")


class BadEmail(DomainError):
    code = Code.INVALID
    text = Text("Это не адрес e-mail: имя@домен.", "Not an e-mail address: name@domain.")


class BadPhone(DomainError):
    code = Code.INVALID
    text = Text("Это не номер телефона: +7 999 123-45-67.", "Not a telephone number: +7 999 123-45-67.")


class BadAmount(DomainError):
    code = Code.INVALID
    text = Text(
        "Сумма не меньше нуля, не более двух знаков после запятой.",
        "An amount is not below zero and has at most two decimals.",
    )


class CartEmpty(DomainError):
    code = Code.CART_EMPTY
    text = Text("Корзина пуста.", "The cart is empty.")


class CartBusy(DomainError):
    code = Code.CONFLICT
    text = Text(
        "Корзина всё время меняется на другом устройстве. Повторите, когда там закончат.",
        "The cart keeps changing on another device. Try again when that has ended.",
    )


class KeyReused(DomainError):
    code = Code.CONFLICT
    text = Text(
        "С этим clientKey уже оформлен заказ {number} с другими данными. Для новой покупки нужен новый ключ.",
        "Order {number} was made under this clientKey with other input. A new purchase needs a new key.",
    )


class TotalRisen(DomainError):
    code = Code.PRICE_CHANGED
    text = Text(
        "Цены изменились: было {expected} ₽, стало {total} ₽. Ничего не куплено.",
        "Prices have changed: it was {expected} RUB, now it is {total} RUB. Nothing was bought.",
    )


class OutOfStock(DomainError):
    code = Code.OUT_OF_STOCK
    text = Text(
        "«{name}»: нужно {wanted}, в наличии {available}.", '"{name}": {wanted} wanted, {available} available.'
    )


class Withdrawn(DomainError):
    code = Code.PRODUCT_WITHDRAWN
    text = Text("«{name}» больше не продаётся.", '"{name}" is no longer sold.')
