"""A category is taken into another: its products move one by one while they sell, and then it goes."""

from collections.abc import Callable
from functools import partial

import pytest
from pymongo.database import Database

from catalog.changes.merges import begin_merge, give_up_merge, merge_some, merging
from catalog.products.upsert import upsert_product
from catalog.stock.reservations import Hold, Offer, Pieces, Purpose, release, reserve
from catalog.structure.branches import move_category
from catalog.structure.categories import add_category, delete_category
from catalog.structure.thresholds import set_threshold
from catalog.tests.shop import MARINA, assert_whole, draft, everything, raised
from gateway.mongo.client import Document
from gateway.mongo.transactions import in_transaction
from gateway.tests.races import at_once

pytestmark = pytest.mark.usefixtures("two_shards")

begin = partial(begin_merge, actor=MARINA)
PRODUCTS = [f"PROD-{number}" for number in range(1, 7)]


@pytest.fixture
def sold(shop: Database[Document]) -> Database[Document]:
    for product_id in PRODUCTS:
        upsert_product(draft(product_id=product_id), actor=MARINA)
    shop["audit"].delete_many({})
    return shop


def finish(limit: int = 2) -> bool:
    """All pieces of the merge, one after the other, as its job does them; returns whether the category is gone."""
    (category,) = merging()
    token, after = category["merging"]["token"], ""
    while True:
        piece = in_transaction(
            lambda after=after: merge_some(  # type: ignore[misc]
                category["_id"], token, after=after, limit=limit, actor=MARINA, reason="объединение"
            )
        )
        if piece.is_finished:
            return piece.is_gone
        after = piece.after


def homes(database: Database[Document]) -> dict[str, list[str]]:
    found = database["products"].find().sort("_id", 1)
    named: dict[str, list[str]] = {}
    for each in found:
        named.setdefault(each["category"], []).append(each["_id"])
    return named


def test_products_move_and_the_category_goes(sold: Database[Document]) -> None:
    assert begin("audio", "video") is True
    assert finish() is True

    assert homes(sold) == {"video": PRODUCTS}
    assert {each["_id"] for each in sold["categories"].find()} == {"sound", "video"}
    assert_whole(sold)
    told = [(each["action"], each["target"]) for each in sold["audit"].find().sort("_id", 1)]
    assert told[0] == ("category.changed", "category:audio")
    assert told[-1] == ("category.deleted", "category:audio")
    assert [target for action, target in told if action == "product.changed"] == [f"product:{id_}" for id_ in PRODUCTS]


def test_buyers_reserve_and_give_back_all_the_while(sold: Database[Document]) -> None:
    begin("audio", "video")

    def buy(buyer: int) -> int:
        held = 0
        for product_id in PRODUCTS:
            for attempt in range(20):
                home = sold["product_directory"].find_one({"_id": product_id})
                assert home is not None
                pieces = Pieces(home["category"], product_id, 1)
                hold = Hold(f"{buyer}-{product_id}-{attempt}", Purpose.CHECKOUT, f"order-{buyer}", "u:1")
                if reserve([Offer(pieces, None)], "msk", hold):
                    break
            held += 1
            if buyer == 0:
                # Where it was seen last: it may be elsewhere by now.
                release([pieces], hold.id)
                held -= 1
        return held

    _, *held = at_once(partial(finish, 1), *(partial(buy, buyer) for buyer in range(3)))

    assert held == [0, 6, 6]
    assert homes(sold) == {"video": PRODUCTS}
    assert [each["stock"] for each in sold["products"].find()] == [
        [{"geozone": "msk", "quantity": 10, "reserved": 2}]
    ] * len(PRODUCTS)
    assert_whole(sold)


def test_category_without_products_goes_at_once_and_its_subcategories_move(sold: Database[Document]) -> None:
    add_category("media", "Медиа", actor=MARINA, parent="video")

    assert begin("video", "sound") is False

    assert {each["_id"]: each["path"] for each in sold["categories"].find()} == {
        "sound": [],
        "audio": ["sound"],
        "media": ["sound"],
    }
    assert begin("media", "audio") is False
    assert sold["categories"].find_one({"_id": "media"}) is None


def test_nothing_comes_into_a_category_that_is_being_merged(sold: Database[Document]) -> None:
    begin("audio", "video")
    before = everything(sold)

    refused: list[Callable[[], object]] = [
        lambda: upsert_product(draft(product_id="PROD-9"), actor=MARINA),
        lambda: add_category("inside", "Внутри", actor=MARINA, parent="audio"),
        lambda: move_category("video", parent="audio", actor=MARINA),
        lambda: begin("audio", "sound"),
        lambda: begin("video", "audio"),
    ]

    for action in refused:
        assert [code for code, _ in raised(action)] == ["CONFLICT"]
    assert everything(sold) == before


@pytest.mark.parametrize(
    ("slug", "into", "reasons"),
    [
        ("nowhere", "video", [("NOT_FOUND", ())]),
        ("audio", "nowhere", [("NOT_FOUND", ("into",))]),
        ("audio", "audio", [("CONFLICT", ("into",))]),
        ("sound", "audio", [("CONFLICT", ("into",))]),
        ("audio", "sound", [("INVALID", ("into",))]),
    ],
)
def test_refused_merge_says_why_and_nothing_changes(
    sold: Database[Document], slug: str, into: str, reasons: list[tuple[str, tuple[str, ...]]]
) -> None:
    before = everything(sold)

    assert raised(lambda: begin(slug, into)) == reasons

    assert everything(sold) == before


def test_merge_that_is_given_up_keeps_what_has_moved(sold: Database[Document]) -> None:
    begin("audio", "video")
    (category,) = merging()
    token = category["merging"]["token"]
    in_transaction(lambda: merge_some("audio", token, after="", limit=2, actor=MARINA, reason="объединение"))

    give_up_merge("audio", actor=MARINA)

    assert homes(sold) == {"video": PRODUCTS[:2], "audio": PRODUCTS[2:]}
    assert merging() == []
    assert raised(lambda: give_up_merge("audio", actor=MARINA)) == [("CONFLICT", ())]
    piece = partial(merge_some, "audio", token, after="", limit=2, actor=MARINA, reason="объединение")
    assert raised(lambda: in_transaction(piece)) == [("CONFLICT", ())]
    assert_whole(sold)


def test_two_who_merge_the_same_category_begin_one_merge(sold: Database[Document]) -> None:
    add_category("films", "Фильмы", actor=MARINA)

    answers = at_once(partial(begin, "audio", "video"), partial(begin, "audio", "films"))

    assert [answer for answer in answers if answer is True] == [True]
    assert len(merging()) == 1
    assert raised(lambda: delete_category("audio", actor=MARINA)) == [("CONFLICT", ())]


def test_threshold_is_owed_to_products_below_a_category_that_got_another(sold: Database[Document]) -> None:
    assert set_threshold("video", 4, actor=MARINA) is True
    assert set_threshold("video", 4, actor=MARINA) is False

    assert raised(lambda: set_threshold("video", -1, actor=MARINA)) == [("INVALID", ("low_at",))]
    assert raised(lambda: set_threshold("nowhere", 4, actor=MARINA)) == [("NOT_FOUND", ())]
    assert move_category("audio", parent=None, actor=MARINA) is True
    marked = [each["_id"] for each in sold["categories"].find({"thresholds_due": {"$exists": True}})]
    assert marked == ["video"]
