"""Staff's list: whatever is combined is found, in its order, in pages both ways, and costs a page or a few keys."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from decimal import Decimal
from itertools import chain
from typing import Any

import pytest
from bson import Decimal128

from catalog.listing import inventory, routes
from catalog.listing.filters import AnyOf, Wanted
from catalog.listing.inventory import Inventory
from catalog.listing.routes import Filter, Level, Shelf, State
from catalog.search.query import words_asked
from catalog.tests.listing.shop import CATEGORIES, START
from catalog.tests.listing.test_plans import stages
from gateway.mongo.client import Document, database
from gateway.mongo.reads import Aggregation, Read, run, run_steps
from gateway.paging import Page, Slice, SortKey

EVERY_CATEGORY = tuple(each["_id"] for each in CATEGORIES)
PAGE = 50
SINCE = START + timedelta(minutes=18_000)

Meets = Callable[[Document], bool]
BLACK = AnyOf("Цвет", ("чёрный",))

FILTERS: dict[str, tuple[Filter, Meets]] = {
    "all": (Filter(wanted=Wanted()), lambda p: True),
    "category": (Filter(wanted=Wanted(categories=("speakers",))), lambda p: p["category"] == "speakers"),
    "withdrawn": (Filter(wanted=Wanted(), state=State.WITHDRAWN), lambda p: p["withdrawn"]),
    "for sale": (Filter(wanted=Wanted(), state=State.ON_SALE), lambda p: not p["withdrawn"]),
    "discount": (Filter(wanted=Wanted(), discount_min=10), lambda p: p["discount"] >= 10),
    "edited": (Filter(wanted=Wanted(), edited_since=SINCE), lambda p: p["edited_at"] >= SINCE),
    "image": (Filter(wanted=Wanted(), missing="image"), lambda p: not p["images"]),
    "description": (Filter(wanted=Wanted(), missing="description"), lambda p: not p["description"]),
    "price": (
        Filter(wanted=Wanted(price_min=Decimal(1000), price_max=Decimal(9000))),
        lambda p: 1000 <= p["price"].to_decimal() <= 9000,
    ),
    "attribute": (Filter(wanted=Wanted(attributes=(BLACK,))), lambda p: p["attributes"]["Цвет"] == "чёрный"),
    "some": (Filter(wanted=Wanted(in_stock_in="msk")), lambda p: "msk" in p["available_in"]),
    "word": (Filter(wanted=Wanted(words=words_asked("nokia"))), lambda p: p["attributes"]["Бренд"] == "Nokia"),
    "none left": (
        Filter(wanted=Wanted(), shelf=Shelf("spb", Level.NONE)),
        lambda p: any(s["geozone"] == "spb" and s["quantity"] <= s["reserved"] for s in p["stock"]),
    ),
    "category, attribute, stock": (
        Filter(wanted=Wanted(categories=("smartphones", "speakers"), attributes=(BLACK,), in_stock_in="ekb")),
        lambda p: (
            p["category"] in ("smartphones", "speakers")
            and p["attributes"]["Цвет"] == "чёрный"
            and "ekb" in p["available_in"]
        ),
    ),
    "withdrawn with a discount": (
        Filter(wanted=Wanted(), state=State.WITHDRAWN, discount_min=1),
        lambda p: p["withdrawn"] and p["discount"] >= 1,
    ),
    "word, category, price, image": (
        Filter(
            wanted=Wanted(words=words_asked("смартфон"), categories=("smartphones",), price_max=Decimal(50_000)),
            missing="image",
        ),
        lambda p: p["category"] == "smartphones" and p["price"].to_decimal() <= 50_000 and not p["images"],
    ),
    "discount, edited, for sale": (
        Filter(wanted=Wanted(), state=State.ON_SALE, discount_min=5, edited_since=SINCE),
        lambda p: not p["withdrawn"] and p["discount"] >= 5 and p["edited_at"] >= SINCE,
    ),
}
ORDERS = [
    SortKey("_id", 1),
    SortKey("price", 1),
    SortKey("sort_name", -1),
    SortKey("discount", -1),
    SortKey("edited_at", -1),
]


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> int:
    """Of six thousand products, as many as five thousand are of a million."""
    monkeypatch.setattr(routes, "FEW", 300)
    return 300


def asked(name: str, order: SortKey | None = None) -> Inventory:
    return Inventory(asked=FILTERS[name][0], order=order, every_category=EVERY_CATEGORY)


def pages(question: Inventory, size: int, *, backward: bool = False) -> Iterator[list[str]]:
    part = Slice(size, backward)
    while True:
        found: Page[Any] = run_steps(inventory.page(question, part))
        yield [each["_id"] for each in found.documents]
        if not (found.has_previous if backward else found.has_next):
            return
        part = Slice(size, backward, found.placed[0 if backward else -1].position)


def expected(documents: list[Document], name: str, order: SortKey) -> list[str]:
    def place(product: Document) -> tuple[Any, str]:
        value = product[order.field]
        return value.to_decimal() if isinstance(value, Decimal128) else value, product["_id"]

    meets = FILTERS[name][1]
    found = sorted((each for each in documents if meets(each)), key=place, reverse=order.direction < 0)
    return [each["_id"] for each in found]


@pytest.mark.parametrize("order", ORDERS, ids=lambda order: order.field)
@pytest.mark.parametrize("name", FILTERS)
def test_every_filter_in_every_order_holds_each_product_once(
    documents: list[Document], name: str, order: SortKey
) -> None:
    wanted = expected(documents, name, order)
    size = max(20, len(wanted) // 3)

    forward = list(pages(asked(name, order), size))
    backward = list(pages(asked(name, order), size, backward=True))

    assert wanted
    assert list(chain(*forward)) == wanted
    assert list(chain(*reversed(backward))) == wanted


@pytest.mark.parametrize("name", FILTERS)
def test_count_is_exact_up_to_its_limit(documents: list[Document], name: str) -> None:
    total = len(expected(documents, name, ORDERS[0]))

    assert run_steps(inventory.count(asked(name))) == total
    assert run_steps(inventory.count(asked(name), total)) == total
    assert run_steps(inventory.count(asked(name), total - 1)) is None


def examined(question: Inventory, part: Slice) -> Iterator[tuple[int, set[str]]]:
    """Keys examined by each command for a page, and the stages of its plan."""
    steps = inventory.page(question, part)
    read: Any = next(steps)
    while True:
        if isinstance(read, Read):
            command: dict[str, Any] = {
                "find": read.collection,
                "filter": read.where,
                "sort": dict(read.sort),
                "limit": read.limit,
                "hint": read.hint,
            }
        else:
            assert isinstance(read, Aggregation)
            pipeline = [{"$match": read.where}, *read.stages]
            command = {"aggregate": read.collection, "pipeline": pipeline, "hint": read.hint, "cursor": {}}
        answer = database().command({"explain": command, "verbosity": "executionStats"})
        yield _keys_in(answer), _stages_in(answer)
        try:
            read = steps.send(run(read))
        except StopIteration:
            return


def _keys_in(answer: Any) -> int:
    """Keys, wherever a find, a pipeline or each of its shards tells them."""
    if not isinstance(answer, dict):
        return sum(map(_keys_in, answer)) if isinstance(answer, list) else 0
    if "executionStats" in answer:
        return int(answer["executionStats"]["totalKeysExamined"])
    return sum(map(_keys_in, answer.values()))


def _stages_in(answer: Any) -> set[str]:
    if not isinstance(answer, dict):
        return set().union(*map(_stages_in, answer)) if isinstance(answer, list) else set()
    if "winningPlan" in answer:
        plan = answer["winningPlan"]
        return stages(plan) if "stage" in plan or "queryPlan" in plan else set()
    return set().union(*map(_stages_in, answer.values()))


SERVED = [
    *((name, order) for name in ("all", "category", "for sale") for order in ORDERS),
    *(("withdrawn", order) for order in ORDERS[:3]),
    ("discount", SortKey("discount", -1)),
    ("edited", SortKey("edited_at", -1)),
    ("price", SortKey("price", 1)),
    *(("attribute", order) for order in ORDERS[1:3]),
    *(("some", order) for order in ORDERS[1:3]),
    ("image", SortKey("_id", 1)),
    ("none left", SortKey("_id", 1)),
    ("word", SortKey("_id", 1)),
]


@pytest.mark.parametrize(("name", "order"), SERVED, ids=[f"{name} {order.field}" for name, order in SERVED])
def test_what_an_index_serves_is_one_walk_of_it(documents: list[Document], name: str, order: SortKey) -> None:
    start: Page[Any] = run_steps(inventory.page(asked(name, order), Slice(PAGE)))
    for beyond in (None, start.placed[-1].position):
        commands = list(examined(asked(name, order), Slice(PAGE, beyond=beyond)))

        # Those for sale and those withdrawn have indexes of their own.
        assert len(commands) <= 2
        for keys, plan in commands:
            # Both shards answer a page, with a key in hand for each category and range.
            assert keys <= 2 * (PAGE + 1 + 2 * len(EVERY_CATEGORY)) * 1.2
            assert not plan & {"COLLSCAN", "SORT"}


@pytest.mark.parametrize("order", ORDERS, ids=lambda order: order.field)
@pytest.mark.parametrize("name", FILTERS)
def test_whatever_is_combined_examines_a_bounded_part(
    documents: list[Document], few: int, name: str, order: SortKey
) -> None:
    commands = list(examined(asked(name, order), Slice(PAGE)))

    assert len(commands) <= 8
    for keys, plan in commands:
        assert "COLLSCAN" not in plan
        # What many meet is met often: in the worst case every twentieth key of a walk, as `few` of all products are.
        assert keys <= 2 * max(few + 1, PAGE * len(documents) // few) + 2 * len(EVERY_CATEGORY)


def test_order_follows_what_is_asked_from_some_value_on(documents: list[Document]) -> None:
    shown: dict[str, SortKey] = {name: asked(name).served_order for name in ("all", "discount", "edited", "price")}

    assert shown == {
        "all": SortKey("_id", 1),
        "discount": SortKey("discount", -1),
        "edited": SortKey("edited_at", -1),
        "price": SortKey("price", 1),
    }
