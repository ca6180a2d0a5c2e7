"""A category goes elsewhere with all that is below it, and what is in it sells on."""

from collections.abc import Callable
from functools import partial

import pytest
from pymongo.database import Database

from catalog.products.upsert import upsert_product
from catalog.stock.adjust import adjust_stock
from catalog.structure.branches import Standing, move_category
from catalog.structure.categories import add_category, hide_category
from catalog.structure.category_tree import CATEGORIES
from catalog.tests.shop import MARINA, assert_whole, draft, everything, raised
from gateway.audit.trail import Actor
from gateway.mongo.client import Document
from gateway.tests.races import at_once

PETER = Actor("2", "peter@mobile-world.example")
add = partial(add_category, actor=MARINA)
move = partial(move_category, actor=MARINA)


@pytest.fixture
def tree(shop: Database[Document]) -> Database[Document]:
    """sound: audio: (wired, wireless); video; home."""
    add("wired", "Проводные", parent="audio", position=10)
    add("wireless", "Беспроводные", parent="audio", position=20)
    add("home", "Для дома", position=3)
    shop["audit"].delete_many({})
    return shop


def paths(database: Database[Document]) -> dict[str, list[str]]:
    return {each["_id"]: each["path"] for each in database["categories"].find()}


def below(parent: str | None) -> list[str]:
    return [node.slug for node in CATEGORIES.get().children(parent)]


def test_branch_moves_with_all_that_is_below_it(tree: Database[Document]) -> None:
    assert move("audio", parent="home") is True

    assert paths(tree) == {
        "sound": [],
        "video": [],
        "home": [],
        "audio": ["home"],
        "wired": ["home", "audio"],
        "wireless": ["home", "audio"],
    }
    (entry,) = tree["audit"].find()
    assert (entry["action"], entry["target"], entry["actor"]) == ("category.changed", "category:audio", MARINA.name)
    assert entry["changes"]["path"] == [["sound"], ["home"]]


def test_branch_becomes_a_root_and_goes_back(tree: Database[Document]) -> None:
    move("audio", parent=None)
    assert paths(tree)["wired"] == ["audio"]

    move("audio", parent="sound")

    assert paths(tree)["wired"] == ["sound", "audio"]


@pytest.mark.parametrize(
    ("slug", "before", "order"),
    [
        ("home", "sound", ["home", "sound", "video"]),
        ("home", "video", ["sound", "home", "video"]),
        ("sound", None, ["video", "home", "sound"]),
        ("video", "home", ["sound", "video", "home"]),
    ],
)
def test_category_is_put_among_its_siblings(
    tree: Database[Document], slug: str, before: str | None, order: list[str]
) -> None:
    move(slug, parent=None, before=before)

    assert below(None) == order


def test_move_to_where_it_is_leaves_no_trace(tree: Database[Document]) -> None:
    before = everything(tree)

    assert move("home", parent=None) is False
    assert move("wired", parent="audio", before="wireless") is False

    assert everything(tree) == before


@pytest.mark.parametrize(
    ("action", "reasons"),
    [
        (partial(move, "nowhere", parent=None), [("NOT_FOUND", ())]),
        (partial(move, "home", parent="nowhere"), [("NOT_FOUND", ("parent",))]),
        (partial(move, "audio", parent="audio"), [("CONFLICT", ("parent",))]),
        (partial(move, "sound", parent="wired"), [("CONFLICT", ("parent",))]),
        (partial(move, "home", parent="video"), [("CONFLICT", ("parent",))]),
        (partial(move, "home", parent="sound", before="wired"), [("CONFLICT", ("before",))]),
        (partial(move, "home", parent=None, before="sound", seen=Standing(("sound",), 3)), [("CONFLICT", ())]),
        (partial(move, "home", parent=None, before="sound", seen=Standing((), 9)), [("CONFLICT", ())]),
    ],
)
def test_refused_move_says_why_and_nothing_changes(
    tree: Database[Document], action: Callable[[], object], reasons: list[tuple[str, tuple[str, ...]]]
) -> None:
    upsert_product(draft(category="video"), actor=MARINA)
    before = everything(tree)

    assert raised(action) == reasons

    assert everything(tree) == before


def test_branch_does_not_go_deeper_than_the_tree_may(tree: Database[Document]) -> None:
    parent = "home"
    for level in range(7):
        add(f"level-{level}", "Уровень", parent=parent)
        parent = f"level-{level}"
    before = everything(tree)

    assert raised(lambda: move("audio", parent=parent)) == [("INVALID", ("parent",))]

    assert everything(tree) == before


def test_of_two_who_drag_the_same_category_the_second_is_told(tree: Database[Document]) -> None:
    seen = Standing(("sound",), 1)

    answers = at_once(
        partial(move_category, "audio", parent="home", actor=MARINA, seen=seen),
        partial(move_category, "audio", parent=None, actor=PETER, seen=seen),
    )

    assert [answer for answer in answers if answer is True] == [True]
    assert paths(tree)["wired"] == [*paths(tree)["audio"], "audio"]
    (entry,) = tree["audit"].find()
    assert entry["actor"] == (MARINA if answers[0] is True else PETER).name


def test_two_who_drag_each_into_the_other_make_no_circle(tree: Database[Document]) -> None:
    answers = at_once(partial(move, "sound", parent="home"), partial(move, "home", parent="sound"))

    assert [answer for answer in answers if answer is True] == [True]
    assert sorted(each for each, path in paths(tree).items() if not path) in (["home", "video"], ["sound", "video"])


def test_branch_moves_while_its_products_sell_and_nothing_is_lost(tree: Database[Document]) -> None:
    upsert_product(draft(category="wired"), actor=MARINA)

    def sell() -> None:
        for _ in range(5):
            adjust_stock("PROD-1", "msk", delta=-1, reason="продан", actor=PETER)

    def drag() -> None:
        for parent in ("home", "sound", None, "home"):
            move("audio", parent=parent)

    answers = at_once(sell, drag)

    assert answers == [None, None]
    (product,) = tree["products"].find()
    assert (product["category"], product["stock"][0]["quantity"]) == ("wired", 5)
    assert paths(tree)["wired"] == ["home", "audio"]
    assert_whole(tree)


def test_hidden_branch_is_out_of_sight_with_all_below_it_and_comes_back(tree: Database[Document]) -> None:
    hide_category("audio", hidden=True, actor=MARINA)
    hide_category("audio", hidden=True, actor=MARINA)

    assert set(CATEGORIES.get().shown.nodes) == {"sound", "video", "home"}
    hide_category("audio", hidden=False, actor=MARINA)
    assert CATEGORIES.get().hidden == frozenset()
    assert [each["changes"] for each in tree["audit"].find().sort("at")] == [
        {"hidden": [False, True]},
        {"hidden": [True, False]},
    ]
