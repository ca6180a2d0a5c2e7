"""What the statuses of an order are called, for messages to people."""

from collections.abc import Mapping

from gateway.domain.texts import Text
from ordering.models import OrderStatus

STATUS_NAMES: Mapping[OrderStatus, Text] = {
    OrderStatus.NEW: Text("новый", "new"),
    OrderStatus.PAID: Text("оплачен", "paid"),
    OrderStatus.PROCESSING: Text("собирается", "processing"),
    OrderStatus.SHIPPED: Text("отправлен", "shipped"),
    OrderStatus.DELIVERED: Text("доставлен", "delivered"),
    OrderStatus.CANCELLED: Text("отменён", "cancelled"),
    OrderStatus.EXPIRED: Text("истёк", "expired"),
    OrderStatus.REFUNDED: Text("возвращён", "refunded"),
}
