"""E-mails to the buyer: one per event."""

from gateway.background import send_soon

MAIL_TASK = "ordering.tasks.mail"


def mail_soon(order_id: str) -> None:
    send_soon(MAIL_TASK, order_id)
