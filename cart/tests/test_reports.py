"""The report on abandoned carts, as staff get it from a real server and see it in the admin."""

from datetime import UTC, date, datetime, timedelta
from typing import Any

import httpx
import pytest
from bson import Decimal128
from django.conf import settings
from django.test import Client
from pymongo.database import Database

from cart.tests.carts import EVERYWHERE
from gateway.accounts.demo import PASSWORD
from gateway.accounts.tests.demo import make_demo_accounts
from gateway.mongo.client import Document
from gateway.staff.tests.browser import signed_in

REPORT = """
query ($from: Date!, $to: Date!, $geozone: String) {
  abandonedCartReport(from: $from, to: $to, geozone: $geozone) {
    days { day carts abandoned rate ordered conversion lostValue { amount currency } }
    topProducts { productId name carts quantity lostValue { amount } }
    computedAt
  }
}
"""
COMPUTED = datetime(2026, 11, 17, 9, 45, 33, 120_000, tzinfo=UTC)


def product(number: int, carts: int, lost: str) -> Document:
    return {
        "product_id": f"PROD-{number}",
        "name": f"Товар {number}",
        "carts": carts,
        "quantity": carts * 2,
        "lost_value": Decimal128(lost),
    }


def figures(day: str, geozone: str | None, carts: int, abandoned: int, lost: str, *products: Document) -> Document:
    return {
        "_id": f"{day}:{geozone or ''}",
        "day": datetime.fromisoformat(day),
        "geozone": geozone,
        "carts": carts,
        "abandoned": abandoned,
        "ordered": 1,
        "lost_value": Decimal128(lost),
        "products": list(products),
        "computed_at": COMPUTED - timedelta(days=int(day[-2:]) % 3),
    }


@pytest.fixture
def shop(database: Database[Document]) -> Database[Document]:
    make_demo_accounts()
    database["geozones"].with_options(write_concern=EVERYWHERE).insert_many(
        [{"_id": "msk", "name": "Москва", "position": 1}, {"_id": "spb", "name": "Санкт-Петербург", "position": 2}]
    )
    return database


@pytest.fixture
def computed(shop: Database[Document]) -> None:
    shop["abandoned_cart_days"].with_options(write_concern=EVERYWHERE).insert_many(
        [
            figures("2026-11-01", "msk", 4, 2, "300.50", product(1, 1, "200.50"), product(2, 1, "100.00")),
            figures("2026-11-01", "spb", 3, 1, "50.00", product(2, 1, "50.00")),
            figures("2026-11-03", None, 5, 0, "0"),
            figures("2026-11-05", "msk", 9, 9, "9999.00", product(3, 9, "9999.00")),
        ]
    )


def asked(web: httpx.Client, login: str | None, variables: dict[str, Any], language: str = "en") -> dict[str, Any]:
    headers = {"accept-language": language}
    if login:
        browser = Client()
        browser.login(username=f"{login}@mobile-world.example", password=PASSWORD)
        headers["cookie"] = f"{settings.SESSION_COOKIE_NAME}={browser.cookies[settings.SESSION_COOKIE_NAME].value}"
    answer: dict[str, Any] = web.post(
        "/graphql", json={"query": REPORT, "variables": variables}, headers=headers
    ).json()
    return answer


def report(web: httpx.Client, first: str, last: str, geozone: str | None = None) -> dict[str, Any]:
    answer = asked(web, "support", {"from": first, "to": last, "geozone": geozone})
    assert "errors" not in answer, answer
    found: dict[str, Any] = answer["data"]["abandonedCartReport"]
    return found


def refusal(answer: dict[str, Any]) -> tuple[str, str]:
    assert answer["data"] is None
    (error,) = answer["errors"]
    return error["extensions"]["code"], error["message"]


@pytest.mark.usefixtures("computed")
def test_every_day_of_the_period_is_there_with_the_sums_of_all_geozones(web: httpx.Client) -> None:
    found = report(web, "2026-11-01", "2026-11-03")

    def day(number: int, carts: int, abandoned: int, rate: float, ordered: int, conversion: float, lost: str) -> Any:
        return {
            "day": f"2026-11-0{number}",
            "carts": carts,
            "abandoned": abandoned,
            "rate": rate,
            "ordered": ordered,
            "conversion": conversion,
            "lostValue": {"amount": lost, "currency": "RUB"},
        }

    assert found == {
        "days": [
            day(1, 7, 3, 3 / 7, 2, 2 / 7, "350.50"),
            day(2, 0, 0, 0.0, 0, 0.0, "0.00"),
            day(3, 5, 0, 0.0, 1, 0.2, "0.00"),
        ],
        "topProducts": [
            {"productId": "PROD-1", "name": "Товар 1", "carts": 1, "quantity": 2, "lostValue": {"amount": "200.50"}},
            {"productId": "PROD-2", "name": "Товар 2", "carts": 2, "quantity": 4, "lostValue": {"amount": "150.00"}},
        ],
        "computedAt": "2026-11-17T09:45:33.120Z",
    }


@pytest.mark.usefixtures("computed")
def test_one_geozone(web: httpx.Client) -> None:
    found = report(web, "2026-11-01", "2026-11-03", "spb")

    assert [(day["carts"], day["abandoned"]) for day in found["days"]] == [(3, 1), (0, 0), (0, 0)]
    assert [(each["productId"], each["lostValue"]["amount"]) for each in found["topProducts"]] == [("PROD-2", "50.00")]


def test_twenty_products_with_the_largest_loss(web: httpx.Client, shop: Database[Document]) -> None:
    products = [product(number, 1, f"{number}.00") for number in range(30)]
    days = shop["abandoned_cart_days"].with_options(write_concern=EVERYWHERE)
    days.insert_one(figures("2026-11-01", "msk", 30, 30, "435.00", *products))

    found = report(web, "2026-11-01", "2026-11-01")

    assert [each["productId"] for each in found["topProducts"]] == [f"PROD-{number}" for number in range(29, 9, -1)]


@pytest.mark.usefixtures("computed")
def test_a_leap_year_is_answered_and_a_day_more_refused(web: httpx.Client) -> None:
    assert len(report(web, "2025-11-06", "2026-11-06")["days"]) == 366
    assert refusal(asked(web, "support", {"from": "2025-11-05", "to": "2026-11-06"})) == (
        "BAD_USER_INPUT",
        "A period is at most 366 days.",
    )


@pytest.mark.usefixtures("computed")
@pytest.mark.parametrize(
    ("variables", "told"),
    [
        ({"from": "2026-11-02", "to": "2026-11-01"}, "The period begins after its end."),
        ({"from": "2026-11-01", "to": "2026-11-01", "geozone": "mars"}, 'There is no geozone "mars".'),
    ],
)
def test_impossible_question_is_told(web: httpx.Client, variables: dict[str, str], told: str) -> None:
    assert refusal(asked(web, "support", variables)) == ("BAD_USER_INPUT", told)


@pytest.mark.parametrize("day", ["17.11.2026", "20261117", "2026-02-30", "2026-W47-2", 20261117])
def test_what_is_no_date_is_refused(web: httpx.Client, shop: Database[Document], day: object) -> None:
    answer = asked(web, "support", {"from": day, "to": "2026-11-17"})

    assert "data" not in answer
    assert "Date cannot represent" in answer["errors"][0]["message"]


def test_never_computed_is_told_with_how_it_is_computed(web: httpx.Client, shop: Database[Document]) -> None:
    code, message = refusal(asked(web, "support", {"from": "2026-11-01", "to": "2026-11-01"}, "ru"))

    assert code == "NOT_FOUND"
    assert message.startswith("Отчёт ещё не рассчитан. Фоновый процесс считает его каждые 10 минут")


def test_period_without_carts_is_zeros_once_anything_was_computed(web: httpx.Client, shop: Database[Document]) -> None:
    progress = shop["cart_analytics_progress"].with_options(write_concern=EVERYWHERE)
    progress.insert_one({"_id": "carts", "seen_until": COMPUTED, "computed_at": COMPUTED})

    found = report(web, "2026-11-01", "2026-11-02")

    assert [day["carts"] for day in found["days"]] == [0, 0]
    assert (found["topProducts"], found["computedAt"]) == ([], "2026-11-17T09:45:33.120Z")


@pytest.mark.usefixtures("computed")
@pytest.mark.parametrize(
    ("login", "code", "message"),
    [
        (None, "UNAUTHENTICATED", "Sign in first."),
        ("customer", "FORBIDDEN", "You are not allowed to do this."),
    ],
)
def test_others_are_refused(web: httpx.Client, login: str | None, code: str, message: str) -> None:
    answer = asked(web, login, {"from": "2026-11-01", "to": "2026-11-01"})

    assert refusal(answer) == (code, message)


@pytest.mark.usefixtures("computed")
@pytest.mark.parametrize("login", ["support", "merchandiser"])
def test_admin_lists_the_days_newest_first_and_edits_nothing(login: str, shop: Database[Document]) -> None:
    browser = signed_in(login)
    address = "/admin/cart/abandonedcartday/"
    before = list(shop["abandoned_cart_days"].find().sort("_id"))

    page = browser.get(address)
    one = browser.get(f"{address}2026-11-01_3Amsk/change/")

    listed = [day.id for day in page.context["cl"].result_list]
    assert listed == ["2026-11-05:msk", "2026-11-03:", "2026-11-01:msk", "2026-11-01:spb"]
    assert "100.0%" in page.content.decode()
    assert "Товар 1 (PROD-1): 2 шт. в 1 корзинах" in one.content.decode()
    assert browser.get(f"{address}add/").status_code == 403
    assert browser.post(f"{address}2026-11-01_3Amsk/change/", {"carts": "1"}).status_code == 403
    assert browser.post(f"{address}2026-11-01_3Amsk/delete/", {"post": "yes"}).status_code == 403
    assert list(shop["abandoned_cart_days"].find().sort("_id")) == before


@pytest.mark.usefixtures("computed")
def test_admin_filters_by_date() -> None:
    page = signed_in("support").get(
        "/admin/cart/abandonedcartday/", {"day__gte": str(date(2026, 11, 2)), "day__lt": str(date(2026, 11, 4))}
    )

    assert [day.id for day in page.context["cl"].result_list] == ["2026-11-03:"]
