"""The customer's page and its dialogs, as each role sees them."""

import json
from collections.abc import Callable

import pytest
from django.test import Client
from pymongo.database import Database

from cart.tests.carts import cart, carts, line, now
from gateway.accounts.models import User
from gateway.accounts.owners import customer_owner
from gateway.accounts.tests.demo import make_demo_accounts
from gateway.accounts.tests.sessions import is_alive, key_of, signed_in
from gateway.mongo.client import Document
from gateway.staff.tests.browser import signed_in as browser_of
from ordering.tests.copies import archive, days_ago, placed

pytestmark = pytest.mark.usefixtures("patient")

LIST = "/admin/accounts/customer/"
EMAIL, PHONE = "zoya@example.com", "+7 912 345-67-89"


@pytest.fixture
def zoya(orders: Database[Document]) -> User:
    make_demo_accounts()
    return User.objects.create_user(EMAIL, "correct horse", name="Зоя Семёнова", phone=PHONE)


@pytest.fixture
def page(zoya: User) -> str:
    return f"{LIST}{zoya.pk}/change/"


def dialog(zoya: User, name: str) -> str:
    return f"{LIST}{zoya.pk}/{name}/"


def text(client: Client, url: str) -> str:
    answer = client.get(url)
    assert answer.status_code == 200
    return answer.content.decode()


@pytest.mark.parametrize("sought", [EMAIL, "8 912 345 67 89", "семенова", ""])
def test_list_has_customers_and_no_staff(sought: str, zoya: User) -> None:
    shown = text(browser_of("support"), f"{LIST}?q={sought}")

    assert EMAIL in shown
    assert "merchandiser@mobile-world.example" not in shown


def test_contacts_are_masked_without_the_right_and_shown_on_record(
    zoya: User, page: str, database: Database[Document]
) -> None:
    operator = browser_of("operator")
    for url in (LIST, page, dialog(zoya, "contacts")):
        shown = text(operator, url)
        assert EMAIL not in shown
        assert PHONE not in shown

    opened = operator.post(dialog(zoya, "contacts")).content.decode()

    assert EMAIL in opened
    assert PHONE in opened
    assert EMAIL not in text(operator, page)
    (entry,) = database["audit"].find({"action": "contacts.shown"})
    assert (entry["target"], entry["actor"]) == (f"customer:{zoya.pk}", "operator@mobile-world.example")


def test_page_shows_orders_of_both_stores_and_what_was_bought(
    orders: Database[Document], like: Document, zoya: User, page: str
) -> None:
    owner = customer_owner(zoya.pk)
    archive(orders, placed(orders, like, *days_ago(400), owner=owner))
    placed(orders, like, *days_ago(1, 2), owner=owner)

    shown = text(browser_of("support"), page)

    assert "Заказы: <b>3</b>" in shown
    assert "11 970,00 ₽" in shown.replace("\xa0", " ").replace("\u202f", " ")


def test_cart_is_restored(zoya: User, page: str, database: Database[Document]) -> None:
    owner = customer_owner(zoya.pk)
    abandoned = cart(owner, status="abandoned", abandoned_at=now(), items=[line("PROD-1", 2)])
    carts().insert_one(abandoned)
    support = browser_of("support")
    address = dialog(zoya, "restore-cart")
    assert f"{address}?cart={abandoned['_id']}" in text(support, page)
    assert "Наушники × 2" in text(support, f"{address}?cart={abandoned['_id']}")

    for _ in range(2):
        support.post(address, {"cart": str(abandoned["_id"])})

    assert database["carts"].count_documents({"owner": owner, "status": "active"}) == 1
    assert f"{address}?cart=" not in text(support, page)


def test_devices_are_shown_and_signed_out(zoya: User, page: str) -> None:
    session = signed_in(zoya, device="Firefox на Linux")
    support = browser_of("support")
    assert "Firefox на Linux" in text(support, page)

    support.post(dialog(zoya, "sign-out"))

    assert not is_alive(key_of(session))
    assert "Firefox на Linux" not in text(support, page)


def test_note_is_shown_and_deactivating_wants_a_reason(zoya: User, page: str) -> None:
    support = browser_of("support")
    support.post(dialog(zoya, "note"), {"text": "Звонить вечером"})
    assert "Звонить вечером" in text(support, page)

    assert support.post(dialog(zoya, "deactivate")).status_code == 200
    assert User.objects.get(pk=zoya.pk).is_active
    support.post(dialog(zoya, "deactivate"), {"reason": "мошенник"})
    assert not User.objects.get(pk=zoya.pk).is_active
    support.post(dialog(zoya, "activate"), {"reason": "ошибка"})
    assert User.objects.get(pk=zoya.pk).is_active


def test_export_has_everything_but_notes(
    orders: Database[Document], like: Document, zoya: User, database: Database[Document]
) -> None:
    owner = customer_owner(zoya.pk)
    archive(orders, placed(orders, like, *days_ago(400), owner=owner))
    placed(orders, like, *days_ago(1), owner=owner)
    carts().insert_one(cart(owner))
    signed_in(zoya, device="Firefox на Linux")
    senior = browser_of("senior")
    senior.post(dialog(zoya, "note"), {"text": "скандалит"})

    answer = senior.post(dialog(zoya, "export"))

    data = json.loads(answer.content)
    assert data["complete"]
    assert (data["account"]["email"], data["account"]["phone"]) == (EMAIL, PHONE)
    assert [order["total"] for order in data["orders"]] == ["3990.00", "3990.00"]
    assert (len(data["carts"]), data["devices"][0]["device"]) == (1, "Firefox на Linux")
    assert "скандалит" not in answer.content.decode()
    assert database["audit"].count_documents({"action": "customer.exported"}) == 1


def test_anonymising_asks_for_the_address(zoya: User, page: str) -> None:
    senior = browser_of("senior")
    refused = senior.post(dialog(zoya, "anonymise"), {"typed": "other@example.com"})
    assert "Наберите e-mail" in refused.content.decode()
    assert User.objects.get(pk=zoya.pk).email == EMAIL

    done = senior.post(dialog(zoya, "anonymise"), {"typed": EMAIL, "guests": "on"})

    assert done.status_code == 302
    shown = text(senior, page)
    assert EMAIL not in shown
    assert "Покупатель обезличен" in shown


@pytest.mark.parametrize(
    ("login", "name", "status"),
    [
        ("analyst", "note", 403),
        ("operator", "note", 403),
        ("operator", "export", 403),
        ("support", "export", 403),
        ("support", "anonymise", 403),
        ("support", "contacts", 403),
        ("senior", "anonymise", 200),
        ("operator", "contacts", 200),
    ],
)
def test_who_may_open_a_dialog(login: str, name: str, status: int, zoya: User) -> None:
    assert browser_of(login).get(dialog(zoya, name)).status_code == status


@pytest.mark.parametrize("make", [lambda zoya: "nothing", lambda zoya: User.objects.get(email__startswith="staff").pk])
def test_nobody_else_has_a_page(make: Callable[[User], str], zoya: User) -> None:
    assert browser_of("support").get(f"{LIST}{make(zoya)}/change/").status_code == 404
