"""Errors of the orders: why one is not made, moved, paid or refunded."""

from gateway.domain.errors import Code, DomainError
from gateway.domain.texts import Text


class BadPhone(DomainError):
    code = Code.INVALID
    text = Text(
        "«{phone}» — не номер телефона. Нужен такой: +7 999 123-45-67.",
        '"{phone}" is no telephone number. Give one like +7 999 123-45-67.',
    )


class BadAmount(DomainError):
    code = Code.INVALID
    text = Text(
        "Сумма не меньше нуля, не более двух знаков после запятой.",
        "An amount is not below zero and has at most two decimals.",
    )


class CartEmpty(DomainError):
    code = Code.CART_EMPTY
    text = Text("Корзина пуста.", "The cart is empty.")


class CartOrdered(DomainError):
    """The cart was ordered under another key: that order is not the request's own."""

    code = Code.CART_EMPTY
    text = Text(
        "Корзина пуста: она уже оформлена на другом устройстве, заказ {number}.",
        "The cart is empty: it has been ordered on another device, order {number}.",
    )


class CartBusy(DomainError):
    code = Code.CONFLICT
    text = Text(
        "Корзина всё время меняется на другом устройстве. Повторите, когда там закончат.",
        "The cart keeps changing on another device. Try again when that has ended.",
    )


class TooMuchUnpaid(DomainError):
    """More than one buyer, or one network, may hold unpaid."""


class BuyerHoldsOrders(TooMuchUnpaid):
    code = Code.RATE_LIMITED
    text = Text(
        "У вас уже {limit} неоплаченных заказов. Оплатите или отмените их, потом оформляйте новые.",
        "You have {limit} unpaid orders already. Pay or cancel them before you order more.",
    )


class AddressHoldsOrders(TooMuchUnpaid):
    code = Code.RATE_LIMITED
    text = Text(
        "Из вашей сети сейчас слишком много неоплаченных заказов. Оплатите или отмените свои, или повторите позже.",
        "There are too many unpaid orders from your network. Pay or cancel yours, or try again later.",
    )


class BuyerHoldsPieces(TooMuchUnpaid):
    code = Code.QUANTITY_LIMIT
    text = Text(
        "«{name}»: без оплаты можно отложить не больше {limit}, в неоплаченных заказах {held}, в корзине {wanted}."
        " Оплатите или отмените прежние заказы или уменьшите количество.",
        '"{name}": at most {limit} can be held unpaid, {held} are in unpaid orders, {wanted} in the cart. Pay or cancel'
        " the earlier orders, or take fewer.",
    )


class AddressHoldsPieces(TooMuchUnpaid):
    code = Code.QUANTITY_LIMIT
    text = Text(
        "«{name}»: из вашей сети без оплаты отложено слишком много. Оплатите или отмените свои заказы, уменьшите"
        " количество или повторите позже.",
        '"{name}": too many are held unpaid from your network. Pay or cancel your orders, take fewer, or try again'
        " later.",
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
        "Цены изменились: было {expected}, стало {total}. Ничего не куплено.",
        "Prices have changed: it was {expected}, now it is {total}. Nothing was bought.",
    )


class OutOfStock(DomainError):
    code = Code.OUT_OF_STOCK
    text = Text("«{name}»: нужно {wanted}, в наличии {available}.", '"{name}": {wanted} wanted, {available} available.')


class Withdrawn(DomainError):
    code = Code.PRODUCT_WITHDRAWN
    text = Text("«{name}» больше не продаётся.", '"{name}" is no longer sold.')


class NoNumber(DomainError):
    code = Code.INVALID
    text = Text(
        "В номере заказа ошибка: в нём десять цифр, например 4829-130-752.",
        "There is a slip in the order's number: it has ten digits, e.g. 4829-130-752.",
    )


class TooManyLinks(DomainError):
    """The same for orders that there are and that there are not."""

    code = Code.RATE_LIMITED
    text = Text(
        "Ссылку просили слишком часто. Посмотрите почту или повторите через {minutes} мин.",
        "The link was asked for too often. Look into your mail, or try again in {minutes} min.",
    )


class UnknownOrder(DomainError):
    code = Code.NOT_FOUND
    text = Text("Такого заказа нет.", "There is no such order.")


class OrderArchived(DomainError):
    code = Code.ILLEGAL_TRANSITION
    text = Text("Заказ в архиве, изменить его нельзя.", "The order is archived and cannot be changed.")


class IllegalTransition(DomainError):
    code = Code.ILLEGAL_TRANSITION
    text = Text(
        "Заказ «{source}»: он не может стать «{target}».", 'The order is "{source}": it cannot become "{target}".'
    )


class NotAnAdvance(DomainError):
    code = Code.ILLEGAL_TRANSITION
    text = Text(
        "Так заказ переводят только в «собирается», «отправлен» или «доставлен».",
        "This only makes an order PROCESSING, SHIPPED or DELIVERED.",
    )


class NotYours(DomainError):
    code = Code.FORBIDDEN
    text = Text("Перевести заказ в «{target}» вы не можете.", 'You cannot make the order "{target}".')


class OrderBusy(DomainError):
    code = Code.CONFLICT
    text = Text("Заказ меняется прямо сейчас. Повторите.", "The order is changing right now. Try again.")


class ReferenceReused(DomainError):
    code = Code.CONFLICT
    text = Text(
        "Под номером «{reference}» уже записано другое: {amount}.",
        'Something else is recorded under "{reference}" already: {amount}.',
    )


class NothingToRefund(DomainError):
    code = Code.INVALID
    text = Text("Укажите, что вернуть: товар и количество.", "Say what to refund: a product and a quantity.")


class NotInOrder(DomainError):
    code = Code.NOT_FOUND
    text = Text("Товара {product_id} нет в заказе.", "Product {product_id} is not in the order.")


class NamedTwice(DomainError):
    code = Code.INVALID
    text = Text("Товар {product_id} указан дважды.", "Product {product_id} is named twice.")


class TooManyToRefund(DomainError):
    code = Code.QUANTITY_LIMIT
    text = Text(
        "«{name}»: вернуть можно от 1 до {left}, а не {quantity}.",
        '"{name}": between 1 and {left} can be refunded, not {quantity}.',
    )


class TooManyToPutBack(DomainError):
    code = Code.QUANTITY_LIMIT
    text = Text(
        "На склад вернуть можно от 0 до {most} из возвращаемых {product_id}, а не {quantity}.",
        "Between 0 and {most} of {product_id} can be put back, not {quantity}.",
    )


class AboveLimit(DomainError):
    code = Code.FORBIDDEN
    text = Text(
        "Вместе с прежними вашими возвратами по заказу выходит {amount}, а без старшего можно до {limit}.",
        "With what you have refunded of the order before it makes {amount}; without a senior up to {limit}.",
    )


class SentAlready(DomainError):
    code = Code.ILLEGAL_TRANSITION
    text = Text(
        "Заказ уже отправлен: отменить его нельзя, верните деньги за то, что вернётся.",
        "The order has been sent and cannot be cancelled: refund what comes back.",
    )


class SentOrClosed(DomainError):
    code = Code.ILLEGAL_TRANSITION
    text = Text(
        "Заказ «{source}»: это меняют только до отправки.", 'The order is "{source}": this is changed before sending.'
    )


class NotUnpaid(DomainError):
    code = Code.ILLEGAL_TRANSITION
    text = Text(
        "Заказ «{source}»: в другую геозону переносят только неоплаченный.",
        'The order is "{source}": only an unpaid one moves to another geozone.',
    )


class NotInGeozone(DomainError):
    code = Code.OUT_OF_STOCK
    text = Text(
        "В этой геозоне не хватает: {names}. Ничего не изменилось.",
        "This geozone is short of: {names}. Nothing was changed.",
    )


class NoTracking(DomainError):
    code = Code.ILLEGAL_TRANSITION
    text = Text(
        "Заказ «{source}»: номер отправления записывают оплаченному и ещё не доставленному.",
        'The order is "{source}": a tracking number belongs to one that is paid and not delivered yet.',
    )


class TooManyNotes(DomainError):
    code = Code.QUANTITY_LIMIT
    text = Text("В заказе уже {limit} заметок, больше нельзя.", "The order has {limit} notes already.")


class UnknownEvent(DomainError):
    code = Code.NOT_FOUND
    text = Text("Такого события в заказе нет.", "The order has no such event.")


class WithoutLetter(DomainError):
    code = Code.INVALID
    text = Text("Об этом событии покупателю не пишут.", "The buyer gets no letter about this event.")


class MoreThanPaid(DomainError):
    code = Code.CONFLICT
    text = Text(
        "Возврат {amount} больше оплаченного: осталось {left}.",
        "A refund of {amount} is above what was paid: {left} are left.",
    )


class PayoutFailed(DomainError):
    code = Code.CONFLICT
    text = Text(
        "Платёж «{reference}» не дошёл до покупателя. Отправьте деньги снова, под новым номером.",
        '"{reference}" did not reach the buyer. Send the money again, under a new reference.',
    )


class UnknownEntry(DomainError):
    code = Code.NOT_FOUND
    text = Text("Такой записи о деньгах в заказе нет.", "The order has no such entry of money.")


class NothingDue(DomainError):
    code = Code.CONFLICT
    text = Text("По этой записи возвращать нечего.", "Nothing is due back for this entry.")


class TooEarly(DomainError):
    code = Code.CONFLICT
    text = Text(
        "Уходит {amount}, больше, чем пришло по заказу: платёж ещё не записан.",
        "{amount} go out, more than has come for the order: a payment is not recorded yet.",
    )


class SettledAlready(DomainError):
    code = Code.CONFLICT
    text = Text("Это уже улажено, под другим номером.", "This has been settled already, under another reference.")


class OtherCurrency(DomainError):
    code = Code.INVALID
    text = Text("Валюта заказа {currency}.", "the order is in {currency}")


class OpenOrders(DomainError):
    """The buyer must still be reached about these."""

    code = Code.CONFLICT
    text = Text(
        "Есть незавершённые заказы: {numbers}. Сначала доставьте, отмените или верните деньги.",
        "There are orders that are not done: {numbers}. Deliver, cancel or repay them first.",
    )
