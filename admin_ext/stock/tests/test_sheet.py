"""The stock sheet: each cell by itself, against what was seen, by whoever may."""

from collections.abc import Mapping
from functools import partial
from typing import Any

import pytest
from django.test import Client
from pymongo.database import Database

from admin_ext.bulk.tests.products import product, put
from admin_ext.stock.cells import CellEdit, CellOutcome, CellState, save_cell
from admin_ext.tests.people import in_english, member
from catalog.products.cards import ProductKey
from catalog.stock.history import stock_history
from catalog.tests.shop import MARINA, everything
from gateway.accounts.roles import ANALYSTS, MERCHANDISERS
from gateway.audit.trail import Actor
from gateway.mongo.client import Document
from gateway.mongo.commands import COMMANDS, Sent
from gateway.tests.races import at_once
from ordering.tests.payments_api import assert_orders_and_stock_agree, ordered, pay
from ordering.tests.shop import buyer, reserved

SHEET = "/admin/stock/sheet/"
CELL = "/admin/stock/sheet/cell/"
PETER = Actor("2", "peter@mobile-world.example")


def edit(typed: str, seen: int, *, geozone: str = "msk", key: str | None = None, reason: str = "") -> CellEdit:
    return CellEdit("PROD-1", geozone, typed, seen, reason, key)


def save(browser: Client, typed: str, seen: int, **fields: str) -> Mapping[str, Any]:
    given = {"product": "PROD-1", "geozone": "msk", "quantity": typed, "seen": str(seen), **fields}
    answer = browser.post(CELL, given)
    assert answer.status_code == 200
    found: Mapping[str, Any] = answer.json()
    return found


def rows(browser: Client, query: str = "") -> dict[str, list[tuple[str, str, str]]]:
    """By product: geozone, what stands in the cell, and what is told there."""
    shown = browser.get(SHEET + query).context["rows"]
    return {row.id: [(cell.level.geozone, cell.typed, cell.told) for cell in row.cells] for row in shown}


def adjustments(database: Database[Document]) -> list[tuple[Any, str]]:
    """Change and reason of each, oldest first."""
    found = database["audit"].find({"action": "stock.adjusted"}).sort("at")
    return [(entry["changes"], entry["reason"]) for entry in found]


def test_sheet_shows_every_geozone_of_what_the_list_would_show(stocked: Database[Document]) -> None:
    marina = member(MERCHANDISERS)

    assert rows(marina, "?category=sound") == {
        "PROD-1": [("msk", "10", ""), ("spb", "", "")],
        "PROD-3": [("msk", "", ""), ("spb", "", "")],
    }
    assert set(rows(marina, "?q=prod-2")) == {"PROD-2"}
    assert set(rows(marina, "?q=тишина")) == {"PROD-1"}
    assert set(rows(marina, "?stock=msk:low")) == {"PROD-2"}


def test_cell_is_saved_as_an_adjustment_with_the_reason_of_the_session(stocked: Database[Document]) -> None:
    ordered(("PROD-1", 2))
    marina = member(MERCHANDISERS)

    saved = save(marina, "12", 10, stock_reason="инвентаризация")
    more = save(marina, "+1", 12)

    assert saved == {
        "state": "saved",
        "quantity": 12,
        "reserved": 2,
        "reserved_text": "в резерве 2",
        "mark": "",
        "told": "",
        "mine": None,
    }
    assert (more["state"], more["quantity"]) == ("saved", 13)
    assert reserved(stocked, "PROD-1") == (13, 2)
    assert adjustments(stocked) == [
        ({"stock.msk": [10, 12]}, "инвентаризация"),
        ({"stock.msk": [12, 13]}, "инвентаризация"),
    ]


def test_product_not_kept_in_a_geozone_is_counted_there_for_the_first_time(stocked: Database[Document]) -> None:
    outcome = save_cell(edit("4", 0, geozone="spb"), actor=MARINA)

    assert outcome == CellOutcome(CellState.SAVED, 4, 0, "low")
    assert adjustments(stocked) == [({"stock.spb": [0, 4]}, "Лист остатков")]


def test_somebody_was_faster_and_the_cell_is_refused_alone_with_both_values(stocked: Database[Document]) -> None:
    marina = member(MERCHANDISERS)
    save_cell(edit("7", 10), actor=PETER)
    before = everything(stocked)

    refused = save(marina, "12", 10)

    assert (refused["state"], refused["quantity"], refused["mine"]) == ("overtaken", 7, 12)
    assert refused["told"] == "Пока вы правили, стало 7 (было 10). Ваше: 12."
    assert everything(stocked) == before
    # Whoever chooses their own writes it over what they were told.
    assert save(marina, "12", 7)["state"] == "saved"
    assert reserved(stocked, "PROD-1") == (12, 0)


def test_pieces_that_came_are_added_to_whatever_is_there(stocked: Database[Document]) -> None:
    save_cell(edit("7", 10), actor=PETER)

    came, broke = (save_cell(edit(typed, 10), actor=MARINA) for typed in ("+5", "−3"))

    assert (came, broke) == (CellOutcome(CellState.SAVED, 12, 0, ""), CellOutcome(CellState.SAVED, 9, 0, ""))


def test_both_wanted_the_same_and_nothing_is_left_to_choose(stocked: Database[Document]) -> None:
    save_cell(edit("7", 10), actor=PETER)

    assert save_cell(edit("7", 10), actor=MARINA) == CellOutcome(CellState.SAVED, 7, 0, "")
    assert len(adjustments(stocked)) == 1


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("1", "Нельзя меньше, чем в резерве: зарезервировано 2, получилось бы 1."),
        ("много", "Укажите число, например 12, или изменение: +5, −3."),
        ("", "Укажите число; 0, если товара нет."),
        ("-9", "Нельзя меньше, чем в резерве: зарезервировано 2, получилось бы 1."),
        ("999999999", "Количество — от 0 до 1000000."),
    ],
)
def test_refused_cell_says_why_and_nothing_changes(stocked: Database[Document], typed: str, told: str) -> None:
    ordered(("PROD-1", 2))
    before = everything(stocked)

    outcome = save_cell(edit(typed, 10), actor=MARINA)

    assert (outcome.state, outcome.quantity, outcome.reserved) == (CellState.REFUSED, 10, 2)
    assert outcome.told == told
    assert everything(stocked) == before


def test_cell_of_a_product_or_geozone_that_is_gone_is_refused(stocked: Database[Document]) -> None:
    unknown = save_cell(edit("5", 0)._replace(product_id="PROD-9"), actor=MARINA)
    nowhere = save_cell(edit("5", 0, geozone="nsk"), actor=MARINA)

    assert (unknown.state, unknown.told) == (CellState.REFUSED, "Такого товара нет.")
    assert (nowhere.state, nowhere.told) == (CellState.REFUSED, "Геозоны «nsk» нет.")
    assert adjustments(stocked) == []


def test_cell_sent_twice_is_one_adjustment(stocked: Database[Document]) -> None:
    first, second = at_once(*[partial(save_cell, edit("12", 10, key="k" * 32), actor=MARINA)] * 2)

    assert (first, second) == (CellOutcome(CellState.SAVED, 12, 0, ""),) * 2
    assert len(adjustments(stocked)) == 1


def test_untouched_cell_writes_nothing(stocked: Database[Document]) -> None:
    before = everything(stocked)

    assert save(member(MERCHANDISERS), "10", 10)["state"] == "saved"
    assert everything(stocked) == before


def test_two_merchandisers_on_one_cell_while_buyers_pay(stocked: Database[Document]) -> None:
    bought = [ordered(("PROD-1", 1), owner=buyer(number)) for number in range(4)]
    (seen, _) = reserved(stocked, "PROD-1")

    *_, marina, peter = at_once(
        *[partial(pay, order, "3990.00", f"pay-{number}") for number, order in enumerate(bought)],
        partial(save_cell, edit("20", seen), actor=MARINA),
        partial(save_cell, edit("30", seen), actor=PETER),
    )

    losers = [each for each in (marina, peter) if each.state is CellState.OVERTAKEN]
    winners = [each for each in (marina, peter) if each.state is CellState.SAVED]
    # Against a sale both may lose; never do both win, and nobody loses a sale.
    assert len(winners) == len(adjustments(stocked)) <= 1
    assert len(losers) == 2 - len(winners)
    assert all(f"Ваше: {each.mine}." in each.told and f"(было {seen})" in each.told for each in losers)
    told = stock_history(ProductKey("audio", "PROD-1"), 50).entries
    counted = sum(level.counted for entry in told for level in entry.levels)
    assert reserved(stocked, "PROD-1") == (counted, 0)
    assert_orders_and_stock_agree(stocked)


def test_row_is_saved_without_a_script_and_only_what_clashed_is_left(stocked: Database[Document]) -> None:
    marina = member(MERCHANDISERS)
    save_cell(edit("7", 10), actor=PETER)
    row = {"product": "PROD-1", "key": "form", "quantity:msk": "12", "seen:msk": "10"}

    shown = marina.post(f"{SHEET}?category=audio", {**row, "quantity:spb": "5", "seen:spb": ""})

    cells = next(each for each in shown.context["rows"] if each.id == "PROD-1").cells
    assert [(each.typed, each.level.quantity, each.told) for each in cells] == [
        ("12", 7, "Пока вы правили, стало 7 (было 10). Ваше: 12."),
        ("5", 5, ""),
    ]
    again = marina.post(f"{SHEET}?category=audio", {**row, "seen:msk": "7", "key": "again"})
    assert (again.status_code, again.headers["Location"]) == (302, f"{SHEET}?category=audio")
    assert reserved(stocked, "PROD-1") == (12, 0)
    assert reserved(stocked, "PROD-1", "spb") == (5, 0)


def test_reason_is_kept_for_the_session(stocked: Database[Document]) -> None:
    marina = member(MERCHANDISERS)

    marina.post(SHEET, {"stock_reason": "  поставка № 5 "})
    save(marina, "12", 10)

    assert marina.get(SHEET).context["reason"] == "поставка № 5"
    assert [reason for _, reason in adjustments(stocked)] == ["поставка № 5"]


def test_who_may_only_look_is_shown_numbers_and_changes_nothing(stocked: Database[Document]) -> None:
    analyst = member(ANALYSTS)
    before = everything(stocked)

    page = analyst.get(SHEET).content.decode()

    assert "<strong>10</strong>" in page
    assert "quantity:msk" not in page
    given = {"product": "PROD-1", "geozone": "msk", "quantity": "1", "seen": "10"}
    assert analyst.post(CELL, given).status_code == 403
    assert analyst.post(SHEET, {"product": "PROD-1", "quantity:msk": "1", "seen:msk": "10"}).status_code == 403
    assert everything(stocked) == before


def test_filter_that_makes_no_sense_leads_to_the_whole_sheet(stocked: Database[Document]) -> None:
    answer = member(MERCHANDISERS).get(f"{SHEET}?price_from=дорого")

    assert (answer.status_code, answer.headers["Location"]) == (302, SHEET)


def test_sheet_in_english(stocked: Database[Document]) -> None:
    page = in_english(member(MERCHANDISERS)).get(SHEET).content.decode()

    assert "Stock sheet" in page
    assert "Enter saves and goes down" in page


def test_page_of_a_category_is_one_read_of_its_shard_and_the_next_goes_on(stocked: Database[Document]) -> None:
    put(stocked, *(product(number) for number in range(55)))
    marina = member(MERCHANDISERS)
    marina.get(SHEET)

    with COMMANDS.counted() as sent:
        first = marina.get(f"{SHEET}?category=audio")
    on = dict(first.context["ways"])["Вперёд"]
    second = marina.get(SHEET + on)

    assert {kind: number for kind, number in sent.items() if kind.collection == "products"} == {
        Sent("find", "products", "staff.list", 1): 1
    }
    ids = [row.id for page in (first, second) for row in page.context["rows"]]
    assert len(first.context["rows"]) == 50
    assert ids == sorted(set(ids))
    assert len(ids) == 57


def test_cell_is_saved_by_the_shard_of_the_product(stocked: Database[Document]) -> None:
    save_cell(edit("11", 10), actor=MARINA)

    with COMMANDS.counted() as sent:
        save_cell(edit("12", 11), actor=MARINA)

    assert {kind: number for kind, number in sent.items() if kind.collection in {"products", "product_directory"}} == {
        Sent("find", "product_directory", "", 1): 1,
        Sent("findAndModify", "products", "", 1): 1,
        Sent("find", "products", "", 1): 1,
    }
    assert sent[Sent("insert", "audit", "", 1)] == 1


def test_list_and_page_of_a_product_lead_here(stocked: Database[Document]) -> None:
    marina = member(MERCHANDISERS)

    listed = marina.get("/admin/catalog/product/?category=audio&q=тишина").content.decode()
    product_page = marina.get("/admin/catalog/product/PROD-1/change/").content.decode()

    address = "/admin/stock/sheet/?category=audio&amp;q=%D1%82%D0%B8%D1%88%D0%B8%D0%BD%D0%B0"
    assert f'id="stock-all" href="{address}"' in listed
    assert 'href="/admin/stock/history/PROD-1/"' in product_page


def test_bulk_change_of_what_was_searched_says_so(stocked: Database[Document]) -> None:
    page = member(MERCHANDISERS).get("/admin/jobs/job/bulk-change/?q=тишина").content.decode()

    assert "поиск: «тишина»" in page
