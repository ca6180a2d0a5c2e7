"""A customer is taken out of every store, by somebody who is asked twice."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime

from django.conf import settings
from playwright.sync_api import expect
from pymongo.database import Database

from admin_ext.tests.browser.orders import paid, send
from gateway.accounts.customers.anonymisation import LATE
from gateway.accounts.demo import DOMAIN
from gateway.accounts.models import User
from gateway.accounts.owners import customer_owner
from gateway.audit.trail import Actor
from gateway.cassandra.driver.session import CONNECTOR
from gateway.cassandra.table import declared_tables
from gateway.mongo.client import Document
from gateway.sync.copy import copy_documents
from gateway.tests.browser import Tabs, signed_in
from gateway.viewer.anonymisation import sweep_anonymisations
from ordering.cassandra.sync import SYNCED
from ordering.lifecycle.moves import advance_order
from ordering.models import OrderStatus
from ordering.tests.payments_api import stored

OLGA = Actor("1", f"staff@{DOMAIN}")


def test_anonymised_customer_is_gone_from_every_table(tabs: Tabs, database: Database[Document]) -> None:
    customer = User.objects.get(email=f"customer@{DOMAIN}")
    order = paid(("PROD-1", 1), amount="3990.00", owner=customer_owner(customer.pk))
    for status in (OrderStatus.PROCESSING, OrderStatus.SHIPPED, OrderStatus.DELIVERED):
        advance_order(order["_id"], status, actor=OLGA)
    copy_documents(SYNCED, [stored(database, order)])
    known = ("ivan@example.com", "1234567", "Покупатель", customer.email)
    assert {word for word in known if any(word in text for text in _everything(database))} == set(known)
    page = signed_in(tabs.open(), "staff")

    page.goto(f"/admin/accounts/customer/?q={customer.email}")
    page.get_by_role("link", name=customer.email).click()
    page.get_by_role("link", name="Обезличить").click()
    page.locator("#id_typed").fill("somebody@example.com")
    send(page, "Обезличить навсегда")
    expect(page.locator("#dialog-form .errors").first).to_be_visible()
    page.locator("#id_typed").fill(customer.email)
    send(page, "Обезличить навсегда")

    expect(page).to_have_url(re.compile(f"{customer.pk}/change/$"))
    expect(page.locator("body")).not_to_contain_text("Иван Покупатель")
    # What was on its way meanwhile has arrived by then, and is taken away as well.
    assert sweep_anonymisations(datetime.now(UTC) + 2 * LATE) == 1
    assert [text for text in _everything(database) if any(word in text for word in known)] == []


def _everything(database: Database[Document]) -> Iterator[str]:
    """Every document and every row, as text, telephone numbers as digits; but for the products and who is staff."""
    for name in database.list_collection_names():
        for document in database[name].find() if not name.startswith("system.") else ():
            yield _plain(f"{name}: {document}")
    if not settings.CASSANDRA_CONTACT_POINTS:
        return
    session = CONNECTOR.connection().session
    for table in declared_tables():
        for row in session.execute(f"SELECT * FROM {table.full_name}"):  # noqa: S608 - our own names
            yield _plain(f"{table.name}: {row}")


def _plain(text: str) -> str:
    return re.sub(r"(?<=\d)[-  ()]+(?=\d)", "", text)
