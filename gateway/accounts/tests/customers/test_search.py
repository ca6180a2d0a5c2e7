"""Customers are found as support hears of them, by an index whatever was typed."""

import pytest
from pymongo.database import Database

from gateway.accounts.customers.search import _reads, find_customers
from gateway.accounts.models import User
from gateway.mongo.client import Document
from gateway.mongo.client import database as the_database


@pytest.fixture
def zoya(database: Database[Document]) -> User:
    User.objects.create_user("zoya.staff@example.com", name="Зоя Семёнова", phone="+7 912 345-67-89", is_staff=True)
    User.objects.create_user("other@example.com", name="Зоя Другая", phone="+7 912 000-00-00")
    return User.objects.create_user("zoya@example.com", name="Зоя Семёнова", phone="+7 912 345-67-89")


@pytest.mark.parametrize(
    "text",
    [
        "zoya@example.com",
        " ZOYA@example.com ",
        "8 (912) 345 67 89",
        "9123456789",
        "семенова",
        "Семёнова Зоя",
        "Зоя СЕМЕНОВА",
    ],
)
def test_customer_is_found_by(text: str, zoya: User) -> None:
    assert find_customers(text) == [zoya.pk]


def test_customer_is_found_by_id(zoya: User) -> None:
    assert find_customers(str(zoya.pk)) == [zoya.pk]


@pytest.mark.parametrize("text", ["", "   ", "zoya", "nobody@example.com", "+7 999 999-99-99", "Зоя Третья", "x" * 300])
def test_nobody_is_found_by(text: str, zoya: User) -> None:
    assert find_customers(text) == []


def test_a_new_name_is_found_and_the_old_one_is_not(zoya: User) -> None:
    zoya.name = "Зоя Космос"
    zoya.save(update_fields=["name"])

    assert find_customers("космос") == [zoya.pk]
    assert find_customers("семенова") == []


@pytest.mark.parametrize(
    "text", ["u77@example.com", "+7 900 000-00-77", "Имяредкое77 Иванов", "6afdc45d21e1770f732f6e74"]
)
def test_no_search_scans(text: str, database: Database[Document]) -> None:
    users = the_database()[User._meta.db_table]
    names = [
        {
            "email": f"u{n}@example.com",
            "keys": [f"name:имяредкое{n}", "name:иванов", f"phone:7900{n:07}"],
            "is_staff": False,
        }
        for n in range(2000)
    ]
    users.insert_many(names)

    for read in _reads(text, 200):
        plan = the_database().command(
            {
                "explain": {
                    "find": read.collection,
                    "filter": read.where,
                    "sort": dict(read.sort),
                    "limit": read.limit,
                    **({"hint": read.hint} if read.hint else {}),
                },
                "verbosity": "executionStats",
            }
        )["executionStats"]
        assert plan["totalDocsExamined"] <= 1
        assert plan["totalKeysExamined"] <= 2
