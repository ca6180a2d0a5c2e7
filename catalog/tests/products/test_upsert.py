"""Making and changing products: whole or not at all, one id one product, checkouts untouched."""

from decimal import Decimal
from functools import partial

import pytest
from bson import Decimal128
from pymongo.database import Database

from catalog.products.drafts import AttributeDraft, ImageDraft, StockDraft
from catalog.products.upsert import Upserted, seen_in, upsert_product
from catalog.stock.adjust import adjust_stock
from catalog.tests.shop import MARINA, assert_whole, draft, everything, raised
from gateway.domain.errors import DomainError
from gateway.mongo.client import Document
from gateway.mongo.commands import COMMANDS, Sent
from gateway.tests.races import at_once

pytestmark = pytest.mark.usefixtures("two_shards")

upsert = partial(upsert_product, actor=MARINA)


def reserve(shop: Database[Document], quantity: int, category: str = "audio") -> int:
    """What a checkout does to a product; returns how many products it found."""
    result = shop["products"].update_one(
        {"category": category, "_id": "PROD-1", "stock.geozone": "msk"},
        {"$inc": {"stock.$.reserved": quantity, "version": 1}, "$push": {"holds": {"quantity": quantity}}},
    )
    return result.matched_count


def test_new_product_has_its_derived_fields_its_directory_entry_and_its_audit(shop: Database[Document]) -> None:
    made = upsert(draft(product_id=" PROD-1 ", base_price=Decimal(4990)))

    product = shop["products"].find_one({"_id": "PROD-1"})
    assert made == Upserted(made.document, created=True, changed=True)
    assert product is not None
    assert product["prices"] == {"base": Decimal128("4990.00"), "sale": Decimal128("3990.00")}
    assert product["price"] == Decimal128("3990.00")
    assert product["stock"] == [{"geozone": "msk", "quantity": 10, "reserved": 0}]
    assert product["available_in"] == ["msk"]
    assert product["facets"] == ["Цвет=чёрный"]
    assert (product["version"], product["synced_version"], product["holds"]) == (1, 0, [])
    assert product["created_at"] == product["updated_at"]
    assert_whole(shop)
    entry = shop["audit"].find_one({}, {"_id": 0, "at": 0, "step": 0})
    assert entry == {
        "source": "system",
        "actor_id": "1",
        "actor": "marina@mobile-world.example",
        "action": "product.added",
        "target": "product:PROD-1",
        "reason": "",
        "changes": {
            "name": [None, "Наушники Тишина"],
            "category": [None, "audio"],
            "description": [None, "Беспроводные наушники."],
            "base_price": [None, "4990.00"],
            "sale_price": [None, "3990.00"],
            "attributes": [None, {"Цвет": "чёрный"}],
            "images": [None, []],
            "withdrawn": [None, False],
            "stock.msk": [None, 10],
        },
    }


def test_change_touches_what_it_names_and_tells_the_audit_what_differs(shop: Database[Document]) -> None:
    upsert(draft())
    reserve(shop, 3)

    upsert(draft(name="Наушники Шум", sale_price=None, stock=(StockDraft("spb", 4),)), reason="новый сезон")

    product = shop["products"].find_one({"_id": "PROD-1"})
    assert product is not None
    assert product["stock"] == [
        {"geozone": "msk", "quantity": 10, "reserved": 3},
        {"geozone": "spb", "quantity": 4, "reserved": 0},
    ]
    assert product["holds"] == [{"quantity": 3}]
    assert product["version"] == 3
    assert product["updated_at"] > product["created_at"]
    assert_whole(shop)
    entry = shop["audit"].find_one({"action": "product.changed"})
    assert entry is not None
    assert entry["reason"] == "новый сезон"
    assert entry["changes"] == {
        "name": ["Наушники Тишина", "Наушники Шум"],
        "sale_price": ["3990.00", None],
        "stock.spb": [None, 4],
    }


def test_repeated_upsert_changes_nothing_and_leaves_no_trace(shop: Database[Document]) -> None:
    upsert(draft())
    before = everything(shop)

    assert upsert(draft()).changed is False
    assert everything(shop) == before


def test_what_a_draft_does_not_say_stays(shop: Database[Document]) -> None:
    upsert(draft(images=(ImageDraft("/1.svg", "Спереди"),), withdrawn=True))

    upsert(draft(name="Наушники Шум", stock=None))

    product = shop["products"].find_one({"_id": "PROD-1"})
    assert product is not None
    assert product["images"] == [{"url": "/1.svg", "alt": "Спереди"}]
    assert product["withdrawn"] is True
    assert product["stock"] == [{"geozone": "msk", "quantity": 10, "reserved": 0}]


@pytest.mark.parametrize(
    ("changes", "reasons"),
    [
        ({"product_id": ""}, [("REQUIRED", ("product_id",))]),
        ({"product_id": "PROD 1"}, [("INVALID", ("product_id",))]),
        ({"product_id": "x" * 65}, [("INVALID", ("product_id",))]),
        ({"product_id": "PROD-1\n$ne"}, [("INVALID", ("product_id",))]),
        ({"name": "  "}, [("REQUIRED", ("name",))]),
        ({"name": "x" * 201}, [("INVALID", ("name",))]),
        ({"name": "a\x00b"}, [("INVALID", ("name",))]),
        ({"description": "\ud800"}, [("INVALID", ("description",))]),
        ({"category": "nowhere"}, [("NOT_FOUND", ("category",))]),
        ({"category": "sound"}, [("INVALID", ("category",))]),
        ({"base_price": Decimal(0), "sale_price": None}, [("INVALID", ("base_price",))]),
        ({"base_price": Decimal("NaN"), "sale_price": None}, [("INVALID", ("base_price",))]),
        ({"base_price": Decimal("1e999999"), "sale_price": None}, [("INVALID", ("base_price",))]),
        ({"base_price": Decimal("1.001"), "sale_price": None}, [("INVALID", ("base_price",))]),
        ({"sale_price": Decimal("4990.00")}, [("INVALID", ("sale_price",))]),
        ({"sale_price": Decimal(-1)}, [("INVALID", ("sale_price",))]),
        ({"attributes": (AttributeDraft("$where", "1"),)}, [("INVALID", ("attributes", 0, "name"))]),
        ({"attributes": (AttributeDraft("a.b", "1"),)}, [("INVALID", ("attributes", 0, "name"))]),
        ({"attributes": (AttributeDraft("a", "1"), AttributeDraft("", ""))},
         [("REQUIRED", ("attributes", 1, "name")), ("REQUIRED", ("attributes", 1, "value"))]),
        ({"attributes": (AttributeDraft("a", "1"), AttributeDraft("a ", "2"))},
         [("INVALID", ("attributes", 1, "name"))]),
        ({"attributes": tuple(AttributeDraft(f"a{i}", "1") for i in range(51))}, [("INVALID", ("attributes",))]),
        ({"stock": (StockDraft("msk", 1), StockDraft("mars", 1))}, [("NOT_FOUND", ("stock", 1, "geozone"))]),
        ({"stock": (StockDraft("$stock", 1),)}, [("NOT_FOUND", ("stock", 0, "geozone"))]),
        ({"stock": (StockDraft("msk", -1),)}, [("INVALID", ("stock", 0, "quantity"))]),
        ({"stock": (StockDraft("msk", 1_000_001),)}, [("INVALID", ("stock", 0, "quantity"))]),
        ({"stock": (StockDraft("msk", 1), StockDraft("msk", 2))}, [("INVALID", ("stock", 1, "geozone"))]),
        ({"images": (ImageDraft("javascript:alert(1)"),)}, [("INVALID", ("images", 0, "url"))]),
        ({"name": "", "base_price": Decimal(-1), "sale_price": None},
         [("REQUIRED", ("name",)), ("INVALID", ("base_price",))]),
    ],
)  # fmt: skip
def test_bad_draft_names_every_fault_and_nothing_changes(
    shop: Database[Document], changes: dict[str, object], reasons: list[tuple[str, tuple[str | int, ...]]]
) -> None:
    before = everything(shop)
    assert raised(lambda: upsert(draft(**changes))) == reasons
    assert everything(shop) == before

    upsert(draft())
    before = everything(shop)
    if "product_id" not in changes:
        assert raised(lambda: upsert(draft(**changes))) == reasons
        assert everything(shop) == before


def test_quantity_below_what_is_reserved_is_refused_and_nothing_changes(shop: Database[Document]) -> None:
    upsert(draft())
    reserve(shop, 3)
    before = everything(shop)

    refused = raised(lambda: upsert(draft(name="Другое", stock=(StockDraft("msk", 2),))))

    assert refused == [("CONFLICT", ("stock", 0, "quantity"))]
    assert everything(shop) == before
    upsert(draft(stock=(StockDraft("msk", 3),)))
    assert_whole(shop)


def test_category_change_moves_product_and_entry_to_another_shard_with_its_holds(shop: Database[Document]) -> None:
    upsert(draft())
    reserve(shop, 2)

    moved = upsert(draft(category="video"))

    assert moved.document["category"] == "video"
    product = shop["products"].find_one({"category": "video", "_id": "PROD-1"})
    assert product is not None
    assert product["holds"] == [{"quantity": 2}]
    assert product["stock"] == [{"geozone": "msk", "quantity": 10, "reserved": 2}]
    assert_whole(shop)


def test_change_of_an_existing_product_reaches_its_shard_only(shop: Database[Document]) -> None:
    upsert(draft())

    with COMMANDS.counted() as sent:
        upsert(draft(name="Наушники Шум", stock=None))

    assert sent == {
        Sent("find", "product_directory", "", 1): 1,
        Sent("find", "products", "", 1): 1,
        Sent("findAndModify", "products", "", 1): 1,
        Sent("insert", "audit", "", 1): 1,
    }


def test_of_racing_creators_under_two_categories_one_wins(shop: Database[Document]) -> None:
    for number in range(5):
        made = at_once(
            *(
                partial(upsert, draft(product_id=f"PROD-{number}", category=category), only_new=True)
                for category in ("audio", "video") * 4
            )
        )

        won = [result for result in made if isinstance(result, Upserted)]
        lost = [result for result in made if isinstance(result, DomainError)]
        assert len(won) == 1
        assert [(reason.code.value, reason.path) for reason in lost] == [("CONFLICT", ("product_id",))] * 7
    assert_whole(shop)
    assert shop["audit"].count_documents({}) == 5


def test_racing_upserts_under_two_categories_leave_one_product(shop: Database[Document]) -> None:
    for number in range(5):
        made = at_once(
            *(
                partial(upsert, draft(product_id=f"PROD-{number}", category=category))
                for category in ("audio", "video") * 3
            )
        )
        assert [result.created for result in made if isinstance(result, Upserted)].count(True) == 1
    assert_whole(shop)
    assert shop["products"].count_documents({}) == 5


def test_moves_lose_no_stock_change_and_no_reservation(shop: Database[Document]) -> None:
    upsert(draft(stock=(StockDraft("msk", 100),)))

    def move_to_and_fro() -> int:
        for number in range(10):
            upsert(draft(category=("video", "audio")[number % 2], stock=None))
        return 0

    def deliver() -> int:
        for _ in range(15):
            adjust_stock("PROD-1", "msk", delta=1, reason="поставка", actor=MARINA)
        return 0

    def buy() -> int:
        return sum(reserve(shop, 1, category) for _ in range(40) for category in ("audio", "video"))

    *done, bought = at_once(move_to_and_fro, deliver, deliver, buy)

    assert done == [0, 0, 0]
    assert isinstance(bought, int)
    (product,) = shop["products"].find()
    assert product["stock"] == [{"geozone": "msk", "quantity": 130, "reserved": bought}]
    assert len(product["holds"]) == bought
    assert product["version"] == 1 + 10 + 30 + bought
    assert_whole(shop)


def test_edit_of_something_that_changed_meanwhile_is_refused(shop: Database[Document]) -> None:
    opened = seen_in(upsert(draft()).document)
    upsert(draft(name="Чужая правка"))
    before = everything(shop)

    assert raised(lambda: upsert(draft(description="Моя правка"), seen=opened)) == [("CONFLICT", ())]
    assert everything(shop) == before


def test_sales_do_not_stop_an_edit_but_a_stock_that_moved_does(shop: Database[Document]) -> None:
    opened = seen_in(upsert(draft()).document)
    reserve(shop, 1)
    adjust_stock("PROD-1", "msk", delta=-2, reason="бой", actor=MARINA)

    assert raised(lambda: upsert(draft(stock=(StockDraft("msk", 12),)), seen=opened)) == [
        ("CONFLICT", ("stock", 0, "quantity"))
    ]
    assert upsert(draft(description="Моя правка", stock=None), seen=opened).changed


def test_product_that_is_gone_cannot_be_edited(shop: Database[Document]) -> None:
    opened = seen_in(upsert(draft()).document)

    assert raised(lambda: upsert(draft(product_id="PROD-2"), seen=opened)) == [("NOT_FOUND", ("product_id",))]
