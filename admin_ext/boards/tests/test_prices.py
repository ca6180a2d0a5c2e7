"""Prices of the week, from the audit: how many, by whom, and which moved most."""

import random
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

from pymongo.database import Database

from admin_ext.boards.price_changes import TOP, first_left_out, largest_moves, price_changes
from admin_ext.boards.prices import prices_board
from admin_ext.boards.tests.figures import shown, table
from admin_ext.tests.people import member
from gateway.accounts.models import User
from gateway.accounts.roles import ANALYSTS, MERCHANDISERS
from gateway.accounts.tests.demo import make_demo_accounts
from gateway.audit.documents import AuditEntryDocument
from gateway.audit.reading import TRAIL
from gateway.audit.tests.entries import entry, write
from gateway.mongo.client import Document
from gateway.mongo.commands import COMMANDS
from gateway.mongo.reads import Aggregation, run

MOSCOW = ZoneInfo("Europe/Moscow")
NOW = datetime(2026, 11, 18, 15, 40, tzinfo=MOSCOW)
FIRST = datetime(2026, 11, 12, tzinfo=MOSCOW)
PERIOD = FIRST, FIRST + timedelta(days=7)


def changed(at: datetime, product: str = "PROD-1", **fields: Any) -> AuditEntryDocument:
    named = {name: fields.pop(name) for name in ("actor_id", "actor", "action") if name in fields}
    return entry(at=at.astimezone(UTC), target=f"product:{product}", changes=fields, **named)


def random_entries(number: int) -> list[AuditEntryDocument]:
    """Changes of prices and of other things, by two people and a program, a day before the week to a day after it."""
    chance = random.Random(5)  # noqa: S311 - no secret
    entries = []
    for each in range(number):
        at = FIRST + timedelta(seconds=chance.randrange(-24 * 3600, 8 * 24 * 3600), milliseconds=each)
        before, after = (f"{chance.randrange(100, 2000)}.00" for _ in range(2))
        fields: dict[str, Any] = chance.choice(
            [
                {"base_price": [before, after]},
                {"sale_price": [before, after]},
                {"sale_price": [None, after]},
                {"sale_price": [before, None]},
                {"base_price": [before, after], "sale_price": [None, before]},
                {"withdrawn": [False, True]},
            ]
        )
        who = chance.choice(
            [{"actor_id": "1", "actor": "a@x"}, {"actor_id": "2", "actor": "b@x"}, {"actor": "discounts"}]
        )
        entries.append(changed(at, f"PROD-{chance.randrange(40)}", **who, **fields))
    return entries


def in_week(entries: list[AuditEntryDocument]) -> list[AuditEntryDocument]:
    """Changes of prices within the week, oldest first."""
    found = [each for each in entries if PERIOD[0] <= each["at"] < PERIOD[1] and each["changes"].keys() - {"withdrawn"}]
    return sorted(found, key=lambda each: each["at"])


def test_days_and_people_are_counted_by_products(database: Database[Document]) -> None:
    entries = random_entries(300)
    write(*entries)

    found = run(price_changes(*PERIOD))

    week = in_week(entries)
    days = {each["at"].astimezone(MOSCOW).date() for each in week}
    assert found.products == len({each["target"] for each in week})
    assert found.by_day == {
        day: len({each["target"] for each in week if each["at"].astimezone(MOSCOW).date() == day}) for day in days
    }
    expected: dict[tuple[Any, str, str], set[str]] = {}
    for each in week:
        key = each["at"].astimezone(MOSCOW).date(), each["actor_id"], each["actor"]
        expected.setdefault(key, set()).add(each["target"])
    assert {(each.day, each.actor_id, each.actor): each.products for each in found.changed} == {
        key: len(targets) for key, targets in expected.items()
    }
    assert [each.day for each in found.changed] == sorted((each.day for each in found.changed), reverse=True)


def test_moves_are_from_the_first_price_of_the_week_to_its_last(database: Database[Document]) -> None:
    entries = random_entries(300)
    write(*entries)

    found = run(largest_moves(*PERIOD))

    prices: dict[tuple[str, str], list[Any]] = {}
    for each in in_week(entries):
        for field, (before, after) in each["changes"].items():
            prices.setdefault((each["target"].removeprefix("product:"), field), [before, after])[1] = after
    ratios = {key: Decimal(after) / Decimal(before) for key, (before, after) in prices.items() if before and after}
    rises = sorted((ratio for ratio in ratios.values() if ratio > 1), reverse=True)[:TOP]
    cuts = sorted(ratio for ratio in ratios.values() if ratio < 1)[:TOP]
    assert [each.after / each.before for each in found.rises] == rises
    assert [each.after / each.before for each in found.cuts] == cuts
    for moved in (*found.rises, *found.cuts):
        before, after = prices[moved.product_id, moved.field]
        assert (moved.before, moved.after) == (Decimal(before), Decimal(after))


def test_board_names_people_and_leads_to_the_audit_and_the_products(database: Database[Document]) -> None:
    make_demo_accounts()
    marina = User.objects.get(email="merchandiser@mobile-world.example")
    by_marina = {"actor_id": str(marina.pk), "actor": marina.email}
    noon = FIRST + timedelta(days=5, hours=12)
    write(
        changed(noon, "PROD-1", **by_marina, base_price=["1000.00", "1250.00"]),
        changed(noon, "PROD-2", **by_marina, base_price=["1000.00", "900.00"]),
        changed(noon, "PROD-3", actor="discounts", sale_price=["500.00", "250.00"]),
        changed(noon, "PROD-4", **by_marina, description=["", "Новое"]),
    )

    board = prices_board(marina, NOW)

    people = table(board.tables, "people")
    assert shown(people.rows) == [["17.11.2026", "Марина Товарова", "2"], ["17.11.2026", "расписание скидок", "1"]]
    assert shown(table(board.tables, "rises").rows) == [["PROD-1", "цена", "1 000,00 ₽", "1 250,00 ₽", "+25,0 %"]]
    assert shown(table(board.tables, "cuts").rows) == [
        ["PROD-3", "цена со скидкой", "500,00 ₽", "250,00 ₽", "−50,0 %"],
        ["PROD-2", "цена", "1 000,00 ₽", "900,00 ₽", "−10,0 %"],
    ]
    assert board.tiles[0].value == "3"
    browser = member(MERCHANDISERS)
    steps = browser.get(people.rows[0][2].url).context["steps"]
    # With the change of a description: the audit is asked by the action.
    assert {line.object for step in steps for line in step.lines} == {"PROD-1", "PROD-2", "PROD-4"}
    assert table(board.tables, "cuts").rows[0][0].url == "/admin/catalog/product/PROD-3/change/"
    assert browser.get(table(board.tables, "cuts").rows[0][4].url).status_code == 200


def test_week_without_changes_says_so(database: Database[Document]) -> None:
    page = member(MERCHANDISERS).get("/admin/boards/prices/").content.decode()

    assert "За семь дней цен никто не менял." in page
    assert "Скачать CSV" not in page


def test_negative_change_in_a_csv_is_a_number_and_no_formula(database: Database[Document]) -> None:
    now = datetime.now(UTC)
    write(changed(now, "-PROD-1", base_price=["1000.00", "900.00"]))

    sheet = member(MERCHANDISERS).get("/admin/boards/prices/csv/?table=cuts").content.decode()

    assert sheet == "\ufeffТовар;Что;Было;Стало;Изменение\r\n'-PROD-1;цена;1000,00;900,00;-10,00\r\n"


def test_reads_walk_the_index_of_the_action_and_no_further_than_the_week(database: Database[Document]) -> None:
    write(
        *random_entries(100), *(changed(FIRST + timedelta(hours=each), action="category.changed") for each in range(9))
    )
    week = sum(
        PERIOD[0] <= each["at"].replace(tzinfo=UTC) < PERIOD[1]
        for each in database[TRAIL].find({"action": "product.changed"})
    )

    reads: list[Aggregation[Any]] = [price_changes(*PERIOD), largest_moves(*PERIOD), first_left_out(*PERIOD)]
    for read in reads:
        with COMMANDS.counted() as sent:
            run(read)
        assert [(each.command, each.shards, times) for each, times in sent.items()] == [("aggregate", 1, 1)]
        command = {"aggregate": TRAIL, "cursor": {}, **read.aggregate_arguments()}
        command.pop("maxTimeMS", None)
        plan = database.command({"explain": command, "verbosity": "executionStats"})
        assert max(found(plan, "totalKeysExamined")) <= week + 1
        assert "SORT" not in found(plan, "stage")


def found(plan: Any, key: str) -> list[Any]:
    """All values of the key, however deep a version of the server hides them."""
    if isinstance(plan, list):
        return [value for each in plan for value in found(each, key)]
    if not isinstance(plan, dict):
        return []
    here = [plan[key]] if key in plan else []
    return here + [value for each in plan.values() for value in found(each, key)]


def test_who_may_not_read_the_audit_does_not_see_the_board(database: Database[Document]) -> None:
    browser = member(ANALYSTS)

    assert browser.get("/admin/boards/prices/").status_code == 403
    assert "Цены за неделю" not in browser.get("/admin/").content.decode()
