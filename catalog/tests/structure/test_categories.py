"""The category tree: grown, renamed, pruned; products stay in leaves whatever happens at once."""

from collections.abc import Callable
from functools import partial

import pytest
from pymongo.database import Database

from catalog.products.upsert import Upserted, upsert_product
from catalog.structure.categories import add_category, delete_category, edit_category
from catalog.tests.shop import MARINA, assert_whole, draft, everything, raised
from gateway.mongo.client import Document
from gateway.tests.races import at_once

add = partial(add_category, actor=MARINA)
edit = partial(edit_category, actor=MARINA)
delete = partial(delete_category, actor=MARINA)
upsert = partial(upsert_product, actor=MARINA)


def test_category_is_added_under_its_parent(shop: Database[Document]) -> None:
    add("speakers", " Колонки ", parent="sound", position=3)

    assert shop["categories"].find_one({"_id": "speakers"}) == {
        "_id": "speakers",
        "name": "Колонки",
        "path": ["sound"],
        "position": 3,
    }
    entry = shop["audit"].find_one()
    assert entry is not None
    assert (entry["action"], entry["target"], entry["actor"]) == ("category.added", "category:speakers", MARINA.name)
    assert entry["changes"] == {"name": [None, "Колонки"], "path": [None, ["sound"]], "position": [None, 3]}


def test_rename_and_reorder_keep_slug_and_path(shop: Database[Document]) -> None:
    edit("audio", name="Наушники и колонки", position=7)

    assert shop["categories"].find_one({"_id": "audio"}) == {
        "_id": "audio",
        "name": "Наушники и колонки",
        "path": ["sound"],
        "position": 7,
    }
    entry = shop["audit"].find_one()
    assert entry is not None
    assert entry["changes"] == {"name": ["Аудио", "Наушники и колонки"], "position": [1, 7]}


def test_edit_that_changes_nothing_leaves_no_trace(shop: Database[Document]) -> None:
    before = everything(shop)

    edit("audio", name="Аудио", position=1)

    assert everything(shop) == before


def test_empty_category_is_deleted(shop: Database[Document]) -> None:
    delete("audio")

    assert shop["categories"].find_one({"_id": "audio"}) is None
    entry = shop["audit"].find_one()
    assert entry is not None
    assert entry["changes"] == {"name": ["Аудио", None], "path": [["sound"], None], "position": [1, None]}


@pytest.mark.parametrize(
    ("action", "reasons"),
    [
        (partial(add, "audio", "Второе"), [("CONFLICT", ("slug",))]),
        (partial(add, "", ""), [("REQUIRED", ("slug",)), ("REQUIRED", ("name",))]),
        (partial(add, "Звук", "Звук"), [("INVALID", ("slug",))]),
        (partial(add, "x" * 65, "Звук"), [("INVALID", ("slug",))]),
        (partial(add, "x", "Звук", position=-1), [("INVALID", ("position",))]),
        (partial(add, "x", "Звук", parent="nowhere"), [("NOT_FOUND", ("parent",))]),
        (partial(add, "x", "Звук", parent="audio"), [("CONFLICT", ("parent",))]),
        (partial(edit, "nowhere", name="Звук", position=1), [("NOT_FOUND", ())]),
        (partial(edit, "audio", name="", position=1), [("REQUIRED", ("name",))]),
        (partial(delete, "nowhere"), [("NOT_FOUND", ())]),
        (partial(delete, "sound"), [("CONFLICT", ())]),
        (partial(delete, "audio"), [("CONFLICT", ())]),
    ],
)
def test_refused_change_says_why_and_nothing_changes(
    shop: Database[Document], action: Callable[[], object], reasons: list[tuple[str, tuple[str, ...]]]
) -> None:
    upsert(draft())
    before = everything(shop)

    assert raised(action) == reasons

    assert everything(shop) == before


def test_tree_does_not_grow_beyond_its_depth(shop: Database[Document]) -> None:
    parent = "video"
    for level in range(8):
        add(f"level-{level}", "Уровень", parent=parent)
        parent = f"level-{level}"

    assert raised(lambda: add("level-8", "Уровень", parent=parent)) == [("INVALID", ("parent",))]


def test_category_is_never_deleted_under_a_product_that_comes_in(shop: Database[Document]) -> None:
    for number in range(8):
        slug = f"leaf-{number}"
        add(slug, "Лист")

        made, _ = at_once(partial(upsert, draft(product_id=slug, category=slug)), partial(delete, slug))

        assert isinstance(made, Upserted) == (shop["categories"].find_one({"_id": slug}) is not None)
    assert_whole(shop)


def test_category_never_holds_both_a_product_and_a_child(shop: Database[Document]) -> None:
    for number in range(8):
        slug = f"leaf-{number}"
        add(slug, "Лист")

        made, _ = at_once(
            partial(upsert, draft(product_id=slug, category=slug)),
            partial(add, f"{slug}-child", "Ниже", parent=slug),
        )

        assert isinstance(made, Upserted) == (shop["categories"].find_one({"path": slug}) is None)
    assert_whole(shop)
