"""Changes of the catalog under a key are made once; those that say what they expect conflict with anything else."""

import os
import signal
from decimal import Decimal
from functools import partial
from typing import Any

import pytest
from pymongo.database import Database

from catalog.documents import ProductDocument
from catalog.products.drafts import StockDraft
from catalog.products.upsert import Expected, Upserted, upsert_product, version_of
from catalog.stock.adjust import Adjusted, adjust_stock
from catalog.tests.shop import MARINA, assert_whole, draft, everything, raised
from gateway.audit.trail import Actor
from gateway.mongo.client import Document, collection_of, orm_connection
from gateway.mongo.transactions import in_transaction
from gateway.tests.races import at_once, paused_process

pytestmark = pytest.mark.usefixtures("two_shards")

PAVEL = Actor("2", "pavel@mobile-world.example")
PROGRAM = """
from catalog.stock.adjust import adjust_stock
from catalog.tests.shop import MARINA
adjust_stock("PROD-1", "msk", actor=MARINA, reason="поставка", delta=5, idempotency_key="k-1")
"""


@pytest.fixture(autouse=True)
def product(shop: Database[Document]) -> None:
    upsert_product(draft(), actor=MARINA)


def deliver(key: str | None = "k-1", *, actor: Actor = MARINA, **changes: Any) -> Adjusted:
    wanted: dict[str, Any] = {"delta": 5, "reason": "поставка", **changes}
    return adjust_stock("PROD-1", "msk", actor=actor, idempotency_key=key, **wanted)


def counted(database: Database[Document]) -> int:
    (product,) = database["products"].find()
    quantity: int = product["stock"][0]["quantity"]
    return quantity


def sell_one(database: Database[Document]) -> None:
    """As a paid order leaves it."""
    database["products"].update_one({"_id": "PROD-1"}, {"$inc": {"stock.0.quantity": -3, "version": 1}})


def test_delta_repeated_under_its_key_is_added_once(shop: Database[Document]) -> None:
    first, again = deliver(), deliver()

    assert (first.replayed, again.replayed) == (False, True)
    assert again.document["stock"] == first.document["stock"]
    assert counted(shop) == 15
    assert shop["audit"].count_documents({"action": "stock.adjusted"}) == 1


def test_without_a_key_or_under_another_it_is_added_again(shop: Database[Document]) -> None:
    assert [deliver(key).replayed for key in (None, None, "", "k-1", "k-2")] == [False] * 5
    assert counted(shop) == 35


@pytest.mark.parametrize("other", [" k-1", "k-1\u00a0", "\u200bk-1", "ｋ-1"])
def test_keys_that_look_alike_are_one(shop: Database[Document], other: str) -> None:
    deliver("k-1")

    assert deliver(other).replayed is True
    assert counted(shop) == 15


@pytest.mark.parametrize(
    ("key", "reason"), [(" ", "REQUIRED"), ("\u200b", "REQUIRED"), ("k" * 101, "INVALID"), ("k\0", "INVALID")]
)
def test_key_that_is_none_is_refused_and_nothing_changes(shop: Database[Document], key: str, reason: str) -> None:
    before = everything(shop)

    assert raised(lambda: deliver(key)) == [(reason, ("idempotency_key",))]
    assert everything(shop) == before


@pytest.mark.parametrize("changes", [{"delta": 6}, {"delta": None, "quantity": 5}, {"reason": "бой"}])
def test_same_key_with_other_input_is_refused_and_nothing_changes(
    shop: Database[Document], changes: dict[str, Any]
) -> None:
    deliver()
    before = everything(shop)

    assert raised(lambda: deliver(**changes)) == [("CONFLICT", ("idempotency_key",))]
    assert everything(shop) == before


def test_same_key_for_another_action_is_refused(shop: Database[Document]) -> None:
    deliver("k-1")

    refused = raised(lambda: upsert_product(draft(name="Другое"), actor=MARINA, idempotency_key="k-1"))

    assert refused == [("CONFLICT", ("idempotency_key",))]


def test_key_belongs_to_whoever_made_it(shop: Database[Document]) -> None:
    assert (deliver().replayed, deliver(actor=PAVEL).replayed) == (False, False)
    assert counted(shop) == 20


def test_refused_change_leaves_its_key_free(shop: Database[Document]) -> None:
    assert raised(lambda: deliver(delta=-11)) == [("CONFLICT", ("delta",))]

    assert deliver().replayed is False
    assert shop["idempotency_receipts"].count_documents({}) == 1


def test_ten_at_once_under_one_key_add_once(shop: Database[Document]) -> None:
    results = at_once(*[deliver] * 10)

    assert [result.replayed for result in results].count(False) == 1
    assert counted(shop) == 15
    assert_whole(shop)


@pytest.mark.parametrize(("when", "done"), [("sent", False), ("answered", True)])
def test_killed_around_the_commit_and_repeated_it_is_added_once(
    shop: Database[Document], when: Any, done: bool
) -> None:
    with paused_process(shop, PROGRAM, command="commitTransaction", when=when) as process:
        os.kill(process.pid, signal.SIGKILL)
        process.wait()

    assert deliver().replayed is done
    assert counted(shop) == 15
    assert shop["audit"].count_documents({"action": "stock.adjusted"}) == 1


def test_receipts_go_by_themselves_after_more_than_a_day(shop: Database[Document]) -> None:
    index = shop["idempotency_receipts"].index_information()["at_1"]

    assert index["expireAfterSeconds"] >= 24 * 3600


def test_upsert_repeated_under_its_key_does_not_undo_a_sale(shop: Database[Document]) -> None:
    wanted = draft(stock=(StockDraft("msk", 10),), name="Наушники Покой")
    upsert_product(wanted, actor=MARINA, idempotency_key="k-1")
    sell_one(shop)

    again = upsert_product(wanted, actor=MARINA, idempotency_key="k-1")

    assert (again.replayed, again.changed, counted(shop)) == (True, False, 7)
    assert again.document["name"] == "Наушники Покой"


def test_upsert_that_changed_nothing_binds_its_key_too(shop: Database[Document]) -> None:
    upsert_product(draft(), actor=MARINA, idempotency_key="k-1")
    sell_one(shop)

    assert upsert_product(draft(), actor=MARINA, idempotency_key="k-1").replayed is True
    assert counted(shop) == 7


def test_products_made_at_once_under_one_key_are_made_once(shop: Database[Document]) -> None:
    new = draft(product_id="PROD-2", base_price=Decimal("100.00"), sale_price=None)

    results = at_once(*[partial(upsert_product, new, actor=MARINA, idempotency_key="k-1", only_new=True)] * 6)

    assert all(isinstance(result, Upserted) for result in results)
    assert [result.created for result in results].count(True) == 1
    assert_whole(shop)


def test_product_made_under_the_same_key_after_the_receipts_were_looked_at_is_that_very_product(
    shop: Database[Document],
) -> None:
    make = partial(upsert_product, draft(product_id="PROD-2"), actor=MARINA, idempotency_key="k-1", only_new=True)
    rivals = [make]

    def work() -> Upserted:
        shop["idempotency_receipts"].find_one({}, session=orm_connection().session)
        # From here on this transaction sees no receipt of the rival, but may see its product.
        if rivals:
            at_once(rivals.pop())
        return make()

    assert in_transaction(work).replayed
    assert shop["products"].count_documents({"_id": "PROD-2"}) == 1


@pytest.mark.parametrize("amount", [{"quantity": 10}, {"delta": 3}])
def test_adjustment_of_a_stock_that_has_changed_is_refused_and_nothing_changes(
    shop: Database[Document], amount: dict[str, Any]
) -> None:
    sell_one(shop)
    before = everything(shop)

    refused = raised(
        lambda: adjust_stock("PROD-1", "msk", actor=MARINA, reason="пересчёт", expected_quantity=10, **amount)
    )

    assert refused == [("CONFLICT", ("expected_quantity",))]
    assert everything(shop) == before
    adjust_stock("PROD-1", "msk", actor=MARINA, reason="пересчёт", expected_quantity=7, **amount)
    assert counted(shop) == 10


def test_of_ten_who_expect_the_same_one_gets_through(shop: Database[Document]) -> None:
    results = at_once(*[partial(deliver, None, expected_quantity=10)] * 10)

    assert [isinstance(result, Adjusted) for result in results].count(True) == 1
    assert counted(shop) == 15


def test_repeated_adjustment_under_a_key_is_no_conflict_with_itself(shop: Database[Document]) -> None:
    deliver(expected_quantity=10)

    assert deliver(expected_quantity=10).replayed is True


def test_upsert_of_a_product_that_has_changed_is_refused_and_nothing_changes(shop: Database[Document]) -> None:
    (seen,) = collection_of("products", ProductDocument).find()
    sell_one(shop)
    before = everything(shop)

    stale = partial(upsert_product, draft(), actor=MARINA, expected=Expected(version=version_of(seen)))
    by_quantity = partial(upsert_product, draft(), actor=MARINA, expected=Expected(quantities={"msk": 10}))

    assert raised(stale) == [("CONFLICT", ("expected_version",))]
    assert raised(by_quantity) == [("CONFLICT", ("stock", 0, "expected_quantity"))]
    assert everything(shop) == before
    (now,) = collection_of("products", ProductDocument).find()
    fresh = Expected(version=version_of(now), quantities={"msk": 7})
    assert upsert_product(draft(), actor=MARINA, expected=fresh).changed is True


def test_expectation_of_a_product_that_is_not_there_is_refused(shop: Database[Document]) -> None:
    new = draft(product_id="PROD-2")

    assert raised(lambda: upsert_product(new, actor=MARINA, expected=Expected(version="1"))) == [
        ("NOT_FOUND", ("product_id",))
    ]
    assert raised(lambda: upsert_product(new, actor=MARINA, expected=Expected(quantities={"msk": 3}))) == [
        ("CONFLICT", ("stock", 0, "expected_quantity"))
    ]
    assert shop["products"].count_documents({}) == 1
