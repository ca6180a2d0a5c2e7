"""GET /account/data.json, from the web server."""

from typing import Any

import pytest
from pymongo.database import Database

from gateway.accounts.models import User
from gateway.accounts.owners import customer_owner
from gateway.accounts.tests.sessions import forget_attempts
from gateway.mongo.client import Document
from gateway.viewer.tests.test_addresses import HOME, save
from gateway.viewer.tests.test_confirmation import buy
from gateway.viewer.tests.test_shopping import add
from gateway.viewer.tests.visitor import Visitor, bearer
from ordering.tests.copies import days_ago, placed

URL = "/account/data.json"


def test_customer_downloads_everything_that_is_the_customers(
    stocked: Database[Document], visitor: Visitor, another: Visitor, ivan: User
) -> None:
    visitor.login()
    save(visitor, "Дом", HOME)
    number = buy(visitor)
    add(visitor, "PROD-1", 1)
    buy(another, "anna@example.com")

    answer = visitor.http.get(URL)

    data: dict[str, Any] = answer.json()
    assert answer.headers["content-type"] == "application/json; charset=utf-8"
    assert answer.headers["content-disposition"] == 'attachment; filename="mobile-world.json"'
    assert answer.headers["cache-control"] == "no-store"
    assert (data["account"]["email"], data["account"]["name"]) == ("ivan@example.com", "Иван Петров")
    assert [(saved["label"], saved["city"]) for saved in data["addresses"]] == [("Дом", "Москва")]
    assert [order["number"] for order in data["orders"]] == [number]
    assert data["orders"][0]["contact"]["email"] == "ivan@example.com"
    assert sorted(cart["status"] for cart in data["carts"]) == ["active", "ordered"]
    assert len(data["devices"]) == 1
    assert data["complete"] is True
    assert "password" not in answer.text
    assert str(visitor.cookie) not in answer.text


def test_history_of_more_than_one_part_is_whole(orders: Database[Document], visitor: Visitor, like: Document) -> None:
    ivan = visitor.register("ivan@example.com")
    assert ivan["userErrors"] == []
    user = User.objects.get(email="ivan@example.com")
    numbers = 250
    placed(orders, like, *days_ago(*[1] * numbers), owner=customer_owner(user.pk))

    data = visitor.http.get(URL).json()

    assert len({order["id"] for order in data["orders"]}) == numbers


@pytest.mark.usefixtures("ivan")
def test_app_downloads_by_its_token(visitor: Visitor, another: Visitor) -> None:
    token = visitor.login()["token"]

    assert another.http.get(URL, headers=bearer(token)).json()["account"]["email"] == "ivan@example.com"


@pytest.mark.usefixtures("database")
def test_nobody_is_told_anything_without_a_session(visitor: Visitor) -> None:
    answer = visitor.http.get(URL)

    assert (answer.status_code, answer.text) == (401, "Войдите в систему.")
    assert visitor.http.post(URL).status_code in (403, 405)


@pytest.mark.usefixtures("ivan")
def test_downloads_of_one_account_are_limited(visitor: Visitor) -> None:
    forget_attempts()
    visitor.login()

    codes = [visitor.http.get(URL).status_code for _ in range(11)]

    assert codes == [200] * 10 + [429]
