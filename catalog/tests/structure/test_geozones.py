"""Geozones: a geozone with stock stays, whatever happens at once."""

from functools import partial

import pytest
from pymongo.database import Database

from catalog.products.drafts import StockDraft
from catalog.products.upsert import upsert_product
from catalog.stock.adjust import adjust_stock
from catalog.structure.geozones import add_geozone, delete_geozone, edit_geozone
from catalog.tests.shop import MARINA, assert_whole, draft, everything, raised
from gateway.domain.errors import DomainError
from gateway.mongo.client import Document
from gateway.tests.races import at_once

upsert = partial(upsert_product, actor=MARINA)
adjust = partial(adjust_stock, actor=MARINA, reason="поставка")


def test_each_change_is_in_the_audit(shop: Database[Document]) -> None:
    add_geozone("ekb", "Екатеринбург", position=3, actor=MARINA)
    edit_geozone("ekb", name="Урал", position=3, actor=MARINA)
    edit_geozone("ekb", name="Урал", position=3, actor=MARINA)
    delete_geozone("ekb", actor=MARINA)

    assert [(entry["action"], entry["changes"]) for entry in shop["audit"].find().sort("at")] == [
        ("geozone.added", {"name": [None, "Екатеринбург"], "position": [None, 3]}),
        ("geozone.changed", {"name": ["Екатеринбург", "Урал"]}),
        ("geozone.deleted", {"name": ["Урал", None], "position": [3, None]}),
    ]


@pytest.mark.parametrize(
    ("code", "name", "position", "reasons"),
    [
        ("", "", 1, [("REQUIRED", ("code",)), ("REQUIRED", ("name",))]),
        ("$msk", "Зона", 1, [("INVALID", ("code",))]),
        ("x" * 17, "Зона", 1, [("INVALID", ("code",))]),
        ("ekb", "x" * 101, -1, [("INVALID", ("name",)), ("INVALID", ("position",))]),
    ],
)
def test_bad_geozone_names_every_fault_and_nothing_changes(
    shop: Database[Document], code: str, name: str, position: int, reasons: list[tuple[str, tuple[str, ...]]]
) -> None:
    before = everything(shop)

    assert raised(lambda: add_geozone(code, name, position=position, actor=MARINA)) == reasons
    assert everything(shop) == before


def test_geozone_that_exists_is_not_added_again(shop: Database[Document]) -> None:
    before = everything(shop)

    assert raised(lambda: add_geozone("msk", "Вторая", position=1, actor=MARINA)) == [("CONFLICT", ("code",))]
    assert everything(shop) == before


def test_geozone_with_stock_is_not_deleted_even_when_all_of_it_is_reserved(shop: Database[Document]) -> None:
    upsert(draft())
    shop["products"].update_one({"category": "audio", "_id": "PROD-1"}, {"$set": {"stock.0.reserved": 10}})
    before = everything(shop)

    assert raised(lambda: delete_geozone("msk", actor=MARINA)) == [("CONFLICT", ())]
    assert everything(shop) == before


def test_geozone_whose_stock_is_gone_is_deleted_and_takes_none_again(shop: Database[Document]) -> None:
    upsert(draft())
    adjust("PROD-1", "msk", quantity=0)

    delete_geozone("msk", actor=MARINA)

    assert raised(lambda: adjust("PROD-1", "msk", delta=1)) == [("NOT_FOUND", ("geozone",))]
    assert raised(lambda: upsert(draft())) == [("NOT_FOUND", ("stock", 0, "geozone"))]


def test_geozone_is_never_deleted_under_stock_that_comes_in(shop: Database[Document]) -> None:
    upsert(draft(stock=None))
    for number in range(8):
        code = f"zone-{number}"
        add_geozone(code, "Зона", position=1, actor=MARINA)

        by_upsert, by_adjustment, _ = at_once(
            partial(upsert, draft(product_id=code, stock=(StockDraft(code, 1),))),
            partial(adjust, "PROD-1", code, delta=1),
            partial(delete_geozone, code, actor=MARINA),
        )

        stands = shop["geozones"].find_one({"_id": code}) is not None
        assert stands != (isinstance(by_upsert, DomainError) and isinstance(by_adjustment, DomainError))
        assert stands == (shop["products"].find_one({"stock.geozone": code}) is not None)
    assert_whole(shop)
