"""Celery entry points of the orders."""

from datetime import UTC, datetime

from celery import shared_task

from gateway.background import GivesUp, mark_begun
from gateway.cassandra.errors import CassandraError
from ordering.archive.archive import archive_orders
from ordering.checkout import holds
from ordering.lifecycle.moves import expire_unpaid
from ordering.mail import delivery, link_requests
from ordering.sales import bought, sums
from ordering.stock import check
from ordering.stock.debts import pay_overdue

# A sweep has a minute until the next one; at some 200 orders a second this many are done in a few seconds.
BATCH = 500
# At some hundred orders a second a quarter of an hour; a night without it is made up for by the next ones.
ARCHIVED_AT_ONCE = 100_000


@shared_task(name=holds.SETTLE_TASK, expires=60)
def settle_queued(_: str) -> None:
    """Settle holds, and tell the buyers of their orders: sent from here, a letter costs the checkout nothing."""
    delivery.mail_soon(*holds.settle_queued())


@shared_task(expires=60)
def sweep_holds() -> None:
    holds.resolve_old_holds(limit=BATCH)
    holds.forget_receipts(limit=BATCH)


@shared_task(expires=60)
def sweep_orders() -> None:
    expire_unpaid(limit=BATCH)
    pay_overdue(limit=BATCH)


@shared_task(expires=3600)
def check_reservations() -> None:
    """Twice a night: the first look writes down and logs what differs, the second corrects what still does.

    A difference is a bug, but the shop must sell in the morning.
    """
    for _ in check.check_reservations(repair=True):
        pass


@shared_task(name=delivery.MAIL_TASK, expires=60)
def mail(_: str) -> None:
    delivery.send_queued_mails()


@shared_task(expires=60)
def sweep_mails() -> None:
    delivery.mail_overdue(limit=BATCH)


@shared_task(
    name=link_requests.TASK,
    base=GivesUp,
    autoretry_for=(OSError, CassandraError),
    # A mail server that restarts is back by then; whoever waits longer asks again.
    retry_backoff=5,
    max_retries=3,
    throws=(OSError, CassandraError),
    expires=600,
)
def send_link(subject: str) -> None:
    """Send the link to an order once more, to whom it belongs."""
    mark_begun(link_requests.TASK, subject)
    link_requests.send_link(subject)


@shared_task(throws=(CassandraError,), expires=3600)
def archive() -> None:
    """Every night; what is left is the next night's."""
    archive_orders(limit=ARCHIVED_AT_ONCE)


@shared_task(throws=(CassandraError,), expires=300)
def sum_sales() -> None:
    """Sum what was sold lately, every 5 minutes; what Cassandra does not answer now, it answers the next run."""
    sums.sum_sales(datetime.now(UTC))


@shared_task(expires=3600)
def count_bought() -> None:
    """Count what has been bought lately, for the search; whatever happens to a run, the next counts all anew."""
    bought.count_bought(datetime.now(UTC))
