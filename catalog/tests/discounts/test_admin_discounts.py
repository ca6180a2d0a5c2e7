"""The page of a product's discounts: planned, shown in words, refused beside the fields, ended early."""

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from html import unescape
from typing import Any

import pytest
from django.test import Client
from django.utils.timezone import localtime
from pymongo.database import Database

from catalog.discounts.plans import discounts_of
from catalog.discounts.turns import turn_discounts
from catalog.products.upsert import upsert_product
from catalog.tests.discounts.test_plans import HOUR, plan, product, states
from catalog.tests.shop import MARINA, draft, everything
from gateway.accounts.tests.demo import make_demo_accounts
from gateway.mongo.client import Document
from gateway.staff.tests.browser import signed_in
from gateway.tests.races import at_once

__all__ = ["product"]

PRODUCT = "/admin/catalog/product/PROD-1/"
PAGE, PLAN, CANCEL = f"{PRODUCT}discounts/", f"{PRODUCT}plan-discount/", f"{PRODUCT}cancel-discount/"


@pytest.fixture
def merchandiser(product: Document) -> Client:
    make_demo_accounts()
    return signed_in("merchandiser")


@pytest.fixture
def reprice() -> Callable[[str], None]:
    """Gives the product another base price, and no sale."""

    def change(base: str) -> None:
        upsert_product(draft(base_price=Decimal(base), sale_price=None), actor=MARINA)

    return change


def typed(hours: float) -> str:
    """That many hours from now, as the browser's field sends it: in the shop's zone."""
    return f"{localtime(datetime.now(UTC) + hours * HOUR):%Y-%m-%dT%H:%M}"


def form(**changes: str) -> dict[str, str]:
    return {"percent": "50", "starts_at": typed(1), "ends_at": typed(2), "reason": "распродажа", "key": "k1", **changes}


def days(number: int) -> str:
    return f"{datetime.now(UTC) + timedelta(days=number):%Y-%m-%d}"


def whole_days(starts: int, ends: int) -> dict[str, str]:
    return {"starts_at": f"{days(starts)}T10:00", "ends_at": f"{days(ends)}T10:30"}


def text(page: Any) -> str:
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", " ", str(page.content, "utf-8")))).replace("\xa0", " ")


def errors(page: Any) -> dict[str, list[str]]:
    return {field: list(told) for field, told in page.context["form"].errors.items()}


def test_discount_is_planned_in_the_shops_zone_and_shown_in_words(merchandiser: Client) -> None:
    done = merchandiser.post(PLAN, form(**whole_days(2, 9)))

    assert (done.status_code, done["location"]) == (302, PAGE)
    (discount,) = discounts_of("PROD-1")
    assert discount["starts_at"].replace(tzinfo=UTC) == datetime.fromisoformat(f"{days(2)}T07:00:00+00:00")
    assert discount["planned_by"] == "merchandiser@mobile-world.example"
    shown = text(merchandiser.get(PAGE))
    assert "2 495,00 ₽ −50 %" in shown
    assert f"{datetime.fromisoformat(days(2)):%d.%m.%Y} 10:00 МСК" in shown
    assert "ждёт" in shown
    assert "Марина Товарова" in shown


def test_empty_beginning_is_at_once(merchandiser: Client, shop: Database[Document]) -> None:
    merchandiser.post(PLAN, form(starts_at="", percent="", sale_price="2 990,00"))

    assert turn_discounts() == 1
    assert str(shop["products"].find_one({"_id": "PROD-1"})["price"]) == "2990.00"  # type: ignore[index]
    shown = text(merchandiser.get(PAGE))
    assert "идёт" in shown
    assert "потом вернётся 3 990,00 ₽" in shown
    assert "Закончить сейчас" in shown


@pytest.mark.parametrize(
    ("changes", "refused"),
    [
        ({"percent": ""}, {"percent": ["Укажите ровно одно: цену или процент."]}),
        ({"sale_price": "100"}, {"percent": ["Укажите ровно одно: цену или процент."]}),
        ({"percent": "100"}, {"percent": ["Процент — от 1 до 99."]}),
        (
            {"percent": "", "sale_price": "4 990"},
            {"sale_price": ["Цена со скидкой должна быть ниже обычной."]},
        ),
        ({"starts_at": "завтра"}, {"starts_at": ["Укажите день и время."]}),
        ({"starts_at": "0001-01-01T00:00"}, {"starts_at": ["Укажите день и время."]}),
        ({"starts_at": "2020-01-01T00:00"}, {"starts_at": ["Это время уже прошло."]}),
        ({"starts_at": "", "ends_at": "2025-01-01T00:00"}, {"ends_at": ["Скидка кончается позже, чем начинается."]}),
        ({"ends_at": "2099-01-01T00:00"}, {"ends_at": ["Не дальше чем на 366 дней вперёд."]}),
        ({"ends_at": ""}, {"ends_at": ["Обязательное поле."]}),
    ],
)
def test_what_makes_no_sense_is_refused_beside_its_field(
    merchandiser: Client, shop: Database[Document], changes: dict[str, str], refused: dict[str, list[str]]
) -> None:
    before = everything(shop)

    page = merchandiser.post(PLAN, form(**changes))

    assert (page.status_code, errors(page)) == (200, refused)
    assert 'value="распродажа"' in unescape(str(page.content, "utf-8"))
    assert (everything(shop), discounts_of("PROD-1")) == (before, [])


def test_overlap_is_told_in_the_shops_zone(merchandiser: Client, shop: Database[Document]) -> None:
    merchandiser.post(PLAN, form(**whole_days(2, 9)))
    before = everything(shop)

    page = merchandiser.post(PLAN, form(**whole_days(3, 4), key="k2"))

    ((told,),) = errors(page).values()
    assert f"{datetime.fromisoformat(days(2)):%d.%m.%Y} 10:00 МСК" in told
    assert (everything(shop), states()) == (before, ["planned"])


def test_form_sent_twice_at_once_plans_one(merchandiser: Client) -> None:
    sent = form()

    answers = at_once(*[lambda: merchandiser.post(PLAN, sent)] * 2)

    assert [answer.status_code for answer in answers] == [302, 302]
    assert states() == ["planned"]


def test_planned_one_is_cancelled_and_sent_again_is_not_refused(merchandiser: Client, shop: Database[Document]) -> None:
    discount = plan(1, 2)
    sent = {"discount": discount["id"], "reason": "передумали", "key": "k1"}
    page = merchandiser.get(f"{CANCEL}?discount={discount['id']}")
    assert "не начнётся" in text(page)

    answers = [merchandiser.post(CANCEL, sent).status_code for _ in range(2)]

    assert answers == [302, 302]
    assert states() == ["cancelled"]
    entry = shop["audit"].find_one({"action": "discount.cancelled"})
    assert entry is not None
    assert (entry["actor"], entry["reason"]) == ("merchandiser@mobile-world.example", "передумали")


def test_running_one_is_ended_early_and_then_it_is_over(merchandiser: Client, shop: Database[Document]) -> None:
    discount = plan(-1, 2)
    turn_discounts()
    assert "Она кончится сейчас" in text(merchandiser.get(f"{CANCEL}?discount={discount['id']}"))

    merchandiser.post(CANCEL, {"discount": discount["id"], "key": "k1"})
    again = merchandiser.post(CANCEL, {"discount": discount["id"], "key": "k2"})

    assert str(shop["products"].find_one({"_id": "PROD-1"})["price"]) == "3990.00"  # type: ignore[index]
    assert list(again.context["form"].non_field_errors()) == ["Этой скидки уже нет: она кончилась или отменена."]


@pytest.mark.parametrize(
    ("turned", "base", "told"),
    [
        (3.0, "4990.00", "Её время прошло, пока никто не работал."),
        (1.5, "2990.00", "Обычная цена стала не выше цены со скидкой."),
    ],
)
def test_missed_one_says_why(
    merchandiser: Client, reprice: Callable[[str], None], turned: float, base: str, told: str
) -> None:
    merchandiser.post(PLAN, form(percent="", sale_price="2990"))
    reprice(base)

    turn_discounts(datetime.now(UTC) + turned * HOUR)

    shown = text(merchandiser.get(PAGE))
    assert "не состоялась" in shown
    assert told in shown


def test_price_that_was_left_is_told(merchandiser: Client, reprice: Callable[[str], None]) -> None:
    plan(-1, 2)
    turn_discounts()
    reprice("4000.00")

    turn_discounts(datetime.now(UTC) + 3 * HOUR)

    assert "она оставлена как есть" in text(merchandiser.get(PAGE))


def test_support_looks_and_does_not_plan(merchandiser: Client, shop: Database[Document]) -> None:
    discount = plan(1, 2)
    before = everything(shop)
    support = signed_in("support")

    shown = text(support.get(PAGE))
    answers = [support.post(PLAN, form()), support.post(CANCEL, {"discount": discount["id"]})]

    assert "ждёт" in shown
    assert "Запланировать" not in shown
    assert "Отменить" not in shown
    assert [answer.status_code for answer in answers] == [403, 403]
    assert (everything(shop), states()) == (before, ["planned"])


def test_discount_of_another_product_or_none_is_not_found(merchandiser: Client) -> None:
    assert merchandiser.get(CANCEL).status_code == 404
    assert merchandiser.get(f"{CANCEL}?discount=nothing").status_code == 404
    assert merchandiser.get(PAGE.replace("PROD-1", "PROD-9")).status_code == 404
    assert "Скидок по расписанию нет и не было." in text(merchandiser.get(PAGE))
