"""Bulk changes as jobs: each product once, whoever dies, sells or edits meanwhile; and taken back."""

from collections.abc import Callable
from decimal import Decimal
from functools import partial
from typing import Any

import pytest
from pymongo.database import Database

from admin_ext.bulk.kinds import bulk_submission
from admin_ext.bulk.tests.products import prices, product, put
from admin_ext.job_kinds import KINDS
from admin_ext.jobs import runner
from admin_ext.jobs.controls import cancel, undo
from admin_ext.jobs.documents import JobDocument
from admin_ext.jobs.queue import job_of, submit
from admin_ext.jobs.tests.test_runner import free_the_lease
from catalog.bulk.change import checked_change
from catalog.bulk.operations import (
    AddStock,
    Discount,
    EndDiscount,
    Move,
    Operation,
    Prices,
    Round,
    SetAttribute,
    SetPrice,
    SetStock,
    ShiftByAmount,
    ShiftByPercent,
    Withdraw,
)
from catalog.bulk.rounding import Ending
from catalog.changes import batch
from catalog.changes.batch import Wanted, change_product
from catalog.changes.values import values_of
from catalog.listing.selection import Selection
from catalog.products.cards import ProductKey
from catalog.tests.shop import MARINA, assert_whole
from gateway.audit.trail import Actor
from gateway.mongo.client import Document
from gateway.mongo.commands import COMMANDS, Sent
from gateway.tests.races import at_once, just_before, paused_process

pytestmark = pytest.mark.usefixtures("two_shards", "shop")

PETER = Actor("2", "peter@mobile-world.example")
AUDIO = Selection(filters={"category": "audio"})
EVERYTHING = Selection()
TEN_OFF = ShiftByPercent(Decimal(-10))

run = partial(runner.run, kinds=KINDS)


def submitted(selection: Selection, *operations: Operation, key: str | None = None, pace: int = 100) -> str:
    wanted = bulk_submission(selection, checked_change(operations), reason="акция")
    return submit(wanted, actor=MARINA, key=key, pace=pace)["_id"]


def done(selection: Selection, *operations: Operation) -> JobDocument:
    job_id = submitted(selection, *operations)
    run(job_id)
    return job_of(job_id)


def undone(job: JobDocument) -> JobDocument:
    undoing = undo(job["_id"], KINDS, actor=MARINA)
    run(undoing["_id"])
    return job_of(undoing["_id"])


def told(job: JobDocument) -> tuple[str, int, dict[str, int]]:
    return job["state"], job["done"], {name: number for name, number in job["counts"].items() if number}


def edit(product_id: str, category: str = "audio", **values: Any) -> None:
    """What a colleague does meanwhile."""
    change_product(ProductKey(category, product_id), Wanted(values), actor=PETER)


OPERATIONS: list[tuple[Operation, dict[str, Any]]] = [
    (TEN_OFF, {"base_price": "909.00", "sale_price": "720.00"}),
    (ShiftByAmount(Decimal("5.50"), Prices.BASE), {"base_price": "1015.50"}),
    (SetPrice(Decimal(990)), {"base_price": "990.00"}),
    (Discount(Decimal(15)), {"sale_price": "858.50"}),
    (EndDiscount(), {"sale_price": None}),
    (Round(Ending.NINETY_NINE), {"base_price": "999.00", "sale_price": "799.00"}),
    (Withdraw(), {"withdrawn": True}),
    (SetAttribute("Цвет", "белый"), {"attributes.Цвет": "белый"}),
    (SetAttribute("Цвет", None), {"attributes.Цвет": None}),
    (Move("video"), {"category": "video"}),
    (SetStock("spb", 7), {"stock.spb": 7}),
    (AddStock("msk", -4), {"stock.msk": 6}),
]


@pytest.mark.parametrize(("operation", "expected"), OPERATIONS, ids=[each.code for each, _ in OPERATIONS])
def test_every_operation_is_done_and_taken_back_and_done_again(
    database: Database[Document], operation: Operation, expected: dict[str, Any]
) -> None:
    document = product(1)
    document["prices"]["sale"] = type(document["prices"]["base"])("800.00")
    put(database, product(1, prices=document["prices"]))
    before = _values(database)

    job = done(Selection(ids=("PROD-00001",)), operation)

    assert told(job) == ("done", 1, {"changed": 1})
    after = _values(database)
    assert {name: after.get(name) for name in expected} == expected
    assert {name: value for name, value in after.items() if name not in expected} == {
        name: value for name, value in before.items() if name not in expected
    }
    (entry,) = database["audit"].find({"step": job["_id"]})
    assert (entry["actor"], entry["reason"], entry["source"]) == (MARINA.name, "акция", "admin")
    undoing = undone(job)
    assert told(undoing) == ("done", 1, {"restored": 1})
    assert _back(_values(database)) == _back(before)
    assert told(undone(undoing)) == ("done", 1, {"restored": 1})
    assert _values(database) == after
    assert_whole(database)


def _values(database: Database[Document]) -> dict[str, Any]:
    (stored,) = database["products"].find()
    return values_of(stored)  # type: ignore[arg-type]


def _back(values: dict[str, Any]) -> dict[str, Any]:
    """A geozone that was new has no pieces left, and stays."""
    return {name: value for name, value in values.items() if value != 0}


def test_whole_filter_is_changed_and_nothing_else(database: Database[Document]) -> None:
    put(database, *(product(number) for number in range(30)), *(product(number, "video") for number in range(30, 40)))

    job = done(Selection(filters={"category": "audio", "price_to": "1100"}), TEN_OFF)

    assert told(job) == ("done", 11, {"changed": 11})
    assert job["total"] == 11
    assert job["scope"] == ["category:audio"]
    changed = {id_: pair[0] for id_, pair in prices(database).items() if id_ <= "PROD-00010"}
    assert changed == {f"PROD-{number:05}": f"{900 + 9 * number}.00" for number in range(11)}
    assert prices(database)["PROD-00011"] == ("1110.00", None)
    assert database["audit"].count_documents({"step": job["_id"]}) == 11


def test_products_that_are_refused_or_unchanged_are_told(database: Database[Document]) -> None:
    put(database, product(0), product(1), product(2, withdrawn=True))

    job = done(AUDIO, ShiftByAmount(Decimal(-1010)))

    assert told(job) == ("done", 3, {"changed": 1, "refused": 2, "remarks": 2})
    remarks = list(database["job_remarks"].find({"job": job["_id"]}).sort("_id", 1))
    assert [each["product"] for each in remarks] == ["PROD-00000", "PROD-00001"]
    assert remarks[0]["en"] == "A price is above zero, below ten billion, with at most two decimals."
    assert told(done(AUDIO, Withdraw())) == ("done", 3, {"changed": 2, "unchanged": 1})


def test_batch_of_one_category_reaches_its_shard_in_three_commands(database: Database[Document]) -> None:
    put(database, *(product(number) for number in range(60)))
    job_id = submitted(AUDIO, TEN_OFF, pace=40)
    run(job_id, seconds=0)

    with COMMANDS.counted() as sent:
        assert run(job_id, seconds=0)

    on_products = {kind: number for kind, number in sent.items() if kind.collection == "products"}
    assert on_products == {
        Sent("find", "products", "staff.list", 1): 1,
        Sent("find", "products", "", 1): 1,
        Sent("update", "products", "", 1): 1,
    }
    assert sent[Sent("insert", "audit", "", 1)] == 1


def test_submitted_twice_it_is_one_job_and_one_change(database: Database[Document]) -> None:
    put(database, product(0))

    ids = at_once(*(partial(submitted, AUDIO, TEN_OFF, key="form") for _ in range(4)))
    for job_id in ids:
        run(job_id)

    assert len(set(ids)) == 1
    assert prices(database) == {"PROD-00000": ("900.00", None)}


def test_two_over_the_same_products_take_turns(database: Database[Document]) -> None:
    put(database, *(product(number) for number in range(20)))
    first, second = submitted(AUDIO, TEN_OFF, pace=5), submitted(EVERYTHING, SetPrice(Decimal(500)), pace=5)
    assert run(first, seconds=0)

    assert run(second) is False
    assert (job_of(second)["state"], job_of(second)["waits_for"]) == ("waiting", 1)
    at_once(*(partial(run, job_id) for job_id in (first, second, first, second)))
    run(second)

    assert set(prices(database).values()) == {("500.00", None)}
    assert database["audit"].count_documents({"step": first}) == 20


@pytest.mark.parametrize(
    ("command", "collection", "when"),
    [("update", "products", "answered"), ("insert", "audit", "answered"), ("commitTransaction", None, "sent")],
)
def test_killed_worker_leaves_each_product_changed_once(
    database: Database[Document], command: str, collection: str | None, when: Any
) -> None:
    put(database, *(product(number) for number in range(30)))
    job_id = submitted(AUDIO, TEN_OFF, pace=10)
    code = f"""
from admin_ext.job_kinds import KINDS
from admin_ext.jobs.runner import run
run({job_id!r}, KINDS)
"""
    with paused_process(database, code, command=command, collection=collection, number=2, when=when) as worker:
        worker.kill()
    free_the_lease(database, job_id)

    run(job_id)

    assert told(job_of(job_id)) == ("done", 30, {"changed": 30})
    assert prices(database) == {f"PROD-{number:05}": (f"{900 + 9 * number}.00", None) for number in range(30)}
    assert database["audit"].count_documents({"step": job_id}) == 30
    assert_whole(database)


def test_sale_in_the_middle_of_a_batch_is_kept(database: Database[Document], monkeypatch: pytest.MonkeyPatch) -> None:
    put(database, *(product(number) for number in range(10)))
    job_id = submitted(AUDIO, AddStock("msk", 5))

    def sell() -> None:
        database["products"].update_one(
            {"category": "audio", "_id": "PROD-00003"}, {"$inc": {"stock.0.quantity": -2, "version": 1}}
        )

    just_before(monkeypatch, batch, "_write", sell)
    run(job_id)

    assert told(job_of(job_id)) == ("done", 10, {"changed": 10})
    pieces = {each["_id"]: each["stock"][0]["quantity"] for each in database["products"].find()}
    assert pieces == {f"PROD-{number:05}": 13 if number == 3 else 15 for number in range(10)}


def test_product_moved_on_by_a_colleague_is_not_changed_twice(database: Database[Document]) -> None:
    put(database, *(product(number) for number in range(10)), product(10, "video"))
    job_id = submitted(EVERYTHING, TEN_OFF, pace=5)
    assert run(job_id, seconds=0)

    edit("PROD-00002", category="video")
    run(job_id)

    assert told(job_of(job_id)) == ("done", 11, {"changed": 11})
    assert prices(database)["PROD-00002"] == ("918.00", None)


def test_move_to_a_later_category_with_a_price_changes_each_once(database: Database[Document]) -> None:
    put(database, *(product(number) for number in range(25)), product(25, "video"))

    job = done(EVERYTHING, TEN_OFF, Move("video"))

    assert told(job) == ("done", 26, {"changed": 26})
    assert prices(database) == {f"PROD-{number:05}": (f"{900 + 9 * number}.00", None) for number in range(26)}
    assert database["products"].count_documents({"category": "video"}) == 26
    assert_whole(database)
    assert told(undone(job)) == ("done", 26, {"restored": 26})
    assert database["products"].count_documents({"category": "video"}) == 1
    assert prices(database) == {f"PROD-{number:05}": (f"{1000 + 10 * number}.00", None) for number in range(26)}
    assert_whole(database)


def test_undo_leaves_what_somebody_has_changed_since_and_names_it_with_both_values(
    database: Database[Document],
) -> None:
    put(database, *(product(number) for number in range(20)))
    job = done(AUDIO, TEN_OFF)
    edit("PROD-00003", base_price="777.00")
    edit("PROD-00004", description="Новое описание.")
    edit("PROD-00005", category="video")

    undoing = undone(job)

    assert told(undoing) == ("done", 20, {"restored": 19, "conflicts": 1, "remarks": 1})
    (remark,) = database["job_remarks"].find({"job": undoing["_id"]})
    assert {name: remark[name] for name in ("product", "field", "now", "wished")} == {
        "product": "PROD-00003",
        "field": "base_price",
        "now": "777.00",
        "wished": "1030.00",
    }
    assert prices(database)["PROD-00003"] == ("777.00", None)
    assert prices(database)["PROD-00005"] == ("1050.00", None)
    assert job_of(job["_id"])["undone_by"] == undoing["_id"]
    redone = undone(undoing)
    assert told(redone) == ("done", 19, {"restored": 19})
    assert prices(database)["PROD-00003"] == ("777.00", None)
    assert prices(database)["PROD-00004"] == ("936.00", None)


def test_undo_of_a_cancelled_job_takes_back_what_it_did(database: Database[Document]) -> None:
    put(database, *(product(number) for number in range(20)))
    job_id = submitted(AUDIO, TEN_OFF, pace=5)
    run(job_id, seconds=0)
    cancel(job_id)
    assert prices(database)["PROD-00004"] == ("936.00", None)

    undoing = undone(job_of(job_id))

    assert told(undoing) == ("done", 5, {"restored": 5})
    assert prices(database) == {f"PROD-{number:05}": (f"{1000 + 10 * number}.00", None) for number in range(20)}


def test_pieces_sold_since_stay_sold_when_stock_is_taken_back(database: Database[Document]) -> None:
    put(database, product(0))
    job = done(AUDIO, AddStock("msk", 5))
    database["products"].update_one({"category": "audio", "_id": "PROD-00000"}, {"$inc": {"stock.0.quantity": -3}})

    undone(job)

    assert database["products"].find_one()["stock"][0]["quantity"] == 7  # type: ignore[index]


def test_killed_undo_restores_each_product_once(database: Database[Document]) -> None:
    put(database, *(product(number) for number in range(30)))
    job = done(AUDIO, AddStock("msk", 5))
    undoing = undo(job["_id"], KINDS, actor=MARINA)["_id"]
    database["jobs"].update_one({"_id": undoing}, {"$set": {"pace": 10}})
    code = f"""
from admin_ext.job_kinds import KINDS
from admin_ext.jobs.runner import run
run({undoing!r}, KINDS)
"""
    with paused_process(database, code, command="commitTransaction", number=3, when="answered") as worker:
        worker.kill()
    free_the_lease(database, undoing)

    run(undoing)

    assert told(job_of(undoing)) == ("done", 30, {"restored": 30})
    assert {each["stock"][0]["quantity"] for each in database["products"].find()} == {10}


def test_title_and_parameters_are_told_whatever_people_typed(database: Database[Document]) -> None:
    put(database, product(0))

    job = done(AUDIO, SetAttribute("Размер", "{XL}"))

    assert job["title"] == {
        "ru": "Массовое изменение: Размер = {XL}",
        "en": "Bulk change: Размер = {XL}",
    }
    words: Callable[..., Any] | None = KINDS["bulk_change"].words
    assert words is not None
    assert [text for _, text in words(job)] == ["категория: «Аудио»", "Размер = {XL}", "акция"]
