"""The tree of categories as a page: moved, renamed, hidden, merged, with attributes and thresholds, by who may."""

import json
from html import unescape
from typing import Any

import pytest
from django.test import Client
from pymongo.database import Database

from admin_ext.job_kinds import KINDS
from admin_ext.jobs import runner
from admin_ext.structure.jobs import submit_owed
from catalog.products.upsert import upsert_product
from catalog.structure.attributes import AttributeType, CategoryAttribute, own_attributes, set_attributes
from catalog.tests.shop import MARINA, draft, everything
from gateway.accounts.tests.demo import make_demo_accounts
from gateway.mongo.client import Document
from gateway.redis.clients import cache_client
from gateway.staff.tests.browser import signed_in

PAGE = "/admin/catalog/category/"
TREE = f"{PAGE}tree/"
AUDIO: dict[str, Any] = {"slug": "audio", "path": ["sound"], "position": 1}


@pytest.fixture
def merchandiser(shop: Database[Document], two_shards: None) -> Client:
    make_demo_accounts()
    # What an earlier test has had counted.
    for key in cache_client().scan_iter("facets:*"):
        cache_client().delete(key)
    return signed_in("merchandiser")


def edit(browser: Client, **asked: Any) -> dict[str, Any]:
    """What the page's script gets."""
    answer = browser.post(TREE, {"edit": json.dumps(asked)}, headers={"accept": "application/json"})
    assert answer.status_code == 200
    told: dict[str, Any] = answer.json()
    return told


def text_of(page: Any) -> str:
    return unescape(str(page.content, "utf-8"))


def test_page_shows_the_tree_with_counts_and_what_may_be_done(merchandiser: Client, shop: Database[Document]) -> None:
    upsert_product(draft(), actor=MARINA)

    sound, video = merchandiser.get(PAGE).context["branches"]

    (audio,) = sound.branches
    assert [(each.name, each.products) for each in (sound, audio, video)] == [("Звук", 1), ("Аудио", 1), ("Видео", 0)]
    assert audio.products_url == "/admin/catalog/product/?category=audio"
    assert [each.name for each in audio.dialogs] == ["attributes", "move", "threshold", "merge"]
    assert (sound.up, video.down, audio.up, audio.down) == ("", "", "", "")
    assert json.loads(video.up)["before"] == "sound"


def test_tree_without_categories_says_what_to_do(merchandiser: Client, shop: Database[Document]) -> None:
    shop["categories"].delete_many({})

    assert "Категорий пока нет" in text_of(merchandiser.get(PAGE))


def test_support_sees_the_tree_and_changes_nothing(merchandiser: Client, shop: Database[Document]) -> None:
    support = signed_in("support")
    before = everything(shop)

    page = text_of(support.get(PAGE))

    assert "Аудио" in page
    assert "tree-form" not in page
    assert "draggable" not in page
    assert support.post(TREE, {"edit": json.dumps({"do": "hide", "slug": "audio"})}).status_code == 403
    assert everything(shop) == before


def test_category_is_moved_hidden_and_renamed_in_the_tree(merchandiser: Client, shop: Database[Document]) -> None:
    moved = edit(merchandiser, do="place", **AUDIO, parent="video", before="")
    hidden = edit(merchandiser, do="hide", slug="audio")
    renamed = edit(merchandiser, do="rename", slug="audio", seen="Аудио", name=" Наушники ")
    shown = edit(merchandiser, do="show", slug="audio")

    assert [each["told"] for each in (moved, hidden, renamed, shown)] == [
        "Категория «Аудио» перенесена.",
        "Категория «Аудио» скрыта от покупателей со всем, что в ней.",
        "Категория переименована: «Наушники».",
        "Категория «Наушники» снова видна покупателям.",
    ]
    assert 'id="c-audio"' in moved["html"]
    stored = shop["categories"].find_one({"_id": "audio"})
    assert stored is not None
    assert (stored["name"], stored["path"], stored["hidden"]) == ("Наушники", ["video"], False)
    assert {(entry["actor"], entry["source"]) for entry in shop["audit"].find()} == {
        ("merchandiser@mobile-world.example", "admin")
    }
    assert shop["audit"].count_documents({"target": "category:audio"}) == 4


def test_same_edits_again_change_nothing(merchandiser: Client, shop: Database[Document]) -> None:
    before = everything(shop)

    assert edit(merchandiser, do="rename", slug="audio", seen="Аудио", name="Аудио")["told"] == "Ничего не изменено."
    assert edit(merchandiser, do="place", **AUDIO, parent="sound", before="")["told"] == "Ничего не изменено."
    assert everything(shop) == before


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        (
            {"do": "place", **AUDIO, "position": 9, "parent": "video"},
            "Дерево только что изменил кто-то другой: «Аудио» теперь в другом месте. Посмотрите и повторите.",
        ),
        (
            {"do": "place", "slug": "sound", "path": [], "position": 1, "parent": "audio"},
            "Категорию «Звук» нельзя перенести в неё саму или в её подкатегорию.",
        ),
        (
            {"do": "place", "slug": "video", "path": [], "position": 2, "parent": "audio"},
            "В категории «Аудио» есть товары: подкатегорий у неё быть не может.",
        ),
        ({"do": "rename", "slug": "audio", "seen": "Звуки", "name": "Новое"}, "это изменил кто-то другой"),
        ({"do": "rename", "slug": "audio", "seen": "Аудио", "name": " "}, "Обязательное поле."),
        ({"do": "rename", "slug": "nowhere", "seen": "", "name": "Новое"}, "Категории «nowhere» нет."),
        ({"do": "hide", "slug": "nowhere"}, "Категории «nowhere» нет."),
        ({"do": "paint", "slug": "audio"}, "Непонятно, что сделать с категорией."),
        ({"do": "place", "slug": "audio"}, "Непонятно, что сделать с категорией."),
        ({"do": "hide", "slug": ["audio"]}, "Непонятно, что сделать с категорией."),
    ],
)
def test_refused_edit_says_why_and_nothing_changes(
    merchandiser: Client, shop: Database[Document], asked: dict[str, Any], told: str
) -> None:
    upsert_product(draft(), actor=MARINA)
    before = everything(shop)

    answer = edit(merchandiser, **asked)

    assert answer["refused"] is True
    assert told in answer["told"]
    assert everything(shop) == before


def test_edits_work_without_a_script(merchandiser: Client, shop: Database[Document]) -> None:
    (_, video) = merchandiser.get(PAGE).context["branches"]

    page = merchandiser.post(TREE, {"edit": video.up}, follow=True)
    nonsense = merchandiser.post(TREE, {"edit": "nonsense"}, follow=True)

    assert [each.name for each in page.context["branches"]] == ["Видео", "Звук"]
    assert "Категория «Видео» перенесена." in text_of(page)
    assert "Непонятно, что сделать с категорией." in text_of(nonsense)


def test_dialog_moves_a_category_and_tells_what_goes_along(merchandiser: Client, shop: Database[Document]) -> None:
    upsert_product(draft(), actor=MARINA)
    opened = merchandiser.get(f"{PAGE}sound/move/")
    assert "подкатегорий 1, товаров 1" in text_of(opened)
    assert opened.context["form"].fields["parent"].choices == [("", "— в корне —"), ("video", "Видео")]

    initial = merchandiser.get(f"{PAGE}audio/move/").context["form"].initial
    done = merchandiser.post(f"{PAGE}audio/move/", {**initial, "parent": "", "place": "first"})
    stale = merchandiser.post(f"{PAGE}audio/move/", {**initial, "parent": "video", "place": "last"})

    assert (done.status_code, done["location"]) == (302, f"{PAGE}#c-audio")
    assert [each.slug for each in merchandiser.get(PAGE).context["branches"]] == ["audio", "sound", "video"]
    assert "Дерево только что изменил кто-то другой" in text_of(stale)


def test_merge_says_what_happens_runs_as_a_job_and_can_be_given_up(
    merchandiser: Client, shop: Database[Document]
) -> None:
    upsert_product(draft(), actor=MARINA)
    assert "товаров 1" in text_of(merchandiser.get(f"{PAGE}audio/merge/"))

    begun = merchandiser.post(f"{PAGE}audio/merge/", {"into": "video"})

    (job,) = submit_owed()
    assert begun["location"] == f"/admin/jobs/job/{job['_id']}/change/"
    (sound, _) = merchandiser.get(PAGE).context["branches"]
    assert (sound.branches[0].merging_into, sound.branches[0].job_url) == ("Видео", begun["location"])
    assert [each.name for each in sound.branches[0].dialogs] == ["attributes", "move", "threshold", "give-up-merge"]
    assert merchandiser.post(f"{PAGE}audio/give-up-merge/", {}).status_code == 302
    assert shop["jobs"].find_one({"_id": job["_id"]})["state"] == "cancelled"  # type: ignore[index]
    assert "ни с чем не объединяется" in text_of(merchandiser.post(f"{PAGE}audio/give-up-merge/", {}))
    merchandiser.post(f"{PAGE}audio/merge/", {"into": "video"})
    (again,) = submit_owed()
    runner.run(again["_id"], KINDS)
    assert shop["products"].find_one({}, ["category"]) == {"_id": "PROD-1", "category": "video"}
    assert "audio" not in {each["_id"] for each in shop["categories"].find()}


def test_threshold_is_set_in_its_dialog_and_taken_away(merchandiser: Client, shop: Database[Document]) -> None:
    shop["categories"].update_one({"_id": "sound"}, {"$set": {"low_at": 7}})
    assert "сейчас это 7" in text_of(merchandiser.get(f"{PAGE}audio/threshold/"))

    assert merchandiser.post(f"{PAGE}audio/threshold/", {"low_at": "3", "seen": ""}).status_code == 302
    stale = merchandiser.post(f"{PAGE}audio/threshold/", {"low_at": "4", "seen": ""})

    assert "это изменил кто-то другой" in text_of(stale)
    assert shop["categories"].find_one({"_id": "audio"})["low_at"] == 3  # type: ignore[index]
    assert merchandiser.post(f"{PAGE}audio/threshold/", {"low_at": "", "seen": "3"}).status_code == 302
    assert shop["categories"].find_one({"_id": "audio"})["low_at"] is None  # type: ignore[index]


def rows(*attributes: dict[str, str], seen: str = "[]") -> dict[str, str]:
    """The form of attributes as a browser sends it."""
    sent = {"rows_sent": str(len(attributes)), "seen": seen}
    for number, attribute in enumerate(attributes):
        given = {"name": "", "type": "text", "unit": "", "options": "", "position": str(10 * number + 10)}
        sent |= {f"{column}-{number}": value for column, value in {**given, **attribute}.items()}
    return sent


def test_attributes_are_edited_as_rows_beside_the_inherited_ones(
    merchandiser: Client, shop: Database[Document]
) -> None:
    set_attributes("sound", [CategoryAttribute("Гарантия", AttributeType.NUMBER, "мес")], actor=MARINA)

    form = merchandiser.get(f"{PAGE}audio/attributes/").context["form"]
    sent = rows(
        {"name": "Цвет", "type": "choice", "options": "чёрный, белый,", "filterable": "on"},
        {},
        {"name": "Вес", "type": "number", "unit": "г", "position": "5"},
    )
    done = merchandiser.post(f"{PAGE}audio/attributes/", sent)

    assert [(each.name, each.unit, each.category) for each in form.inherited] == [("Гарантия", "мес", "Звук")]
    assert len(form.rows) == 3
    assert done.status_code == 302
    assert own_attributes("audio") == [
        CategoryAttribute("Вес", AttributeType.NUMBER, "г", 5, filterable=False),
        CategoryAttribute("Цвет", AttributeType.CHOICE, "", 10, options=("чёрный", "белый")),
    ]


def test_refused_attributes_stand_beside_their_rows_with_what_was_typed(
    merchandiser: Client, shop: Database[Document]
) -> None:
    before = everything(shop)

    page = merchandiser.post(
        f"{PAGE}audio/attributes/",
        rows({"name": "Вес"}, {}, {"name": "Вес"}, {"name": "Цвет", "type": "choice"}),
    )

    form = page.context["form"]
    assert form.errors == {"name-2": ["«Вес» указано дважды."], "options-3": ["Обязательное поле."]}
    assert form["name-3"].value() == "Цвет"
    assert everything(shop) == before


def test_attributes_that_a_colleague_has_edited_meanwhile_are_not_written_over(
    merchandiser: Client, shop: Database[Document]
) -> None:
    set_attributes("audio", [CategoryAttribute("Вес")], actor=MARINA)
    before = everything(shop)

    page = merchandiser.post(f"{PAGE}audio/attributes/", rows({"name": "Цвет"}))

    assert "это изменил кто-то другой" in text_of(page)
    assert everything(shop) == before


def test_new_category_begins_inside_the_one_it_was_asked_for(merchandiser: Client) -> None:
    form = merchandiser.get(f"{PAGE}add/?parent=sound").context["adminform"].form

    assert form["parent"].value() == "sound"
