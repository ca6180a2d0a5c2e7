"""A file is checked and loaded: good rows never wait for bad ones, and what somebody else did meanwhile stays."""

from decimal import Decimal
from functools import partial

import pytest
from pymongo.database import Database
from pytest_django import Settings

from admin_ext.jobs.queue import job_of
from admin_ext.sheets.documents import ImportDocument
from admin_ext.sheets.imports import (
    FileTooLarge,
    NotChecked,
    NothingToLoad,
    StockOfAnother,
    check_again,
    import_of,
    load_import,
)
from admin_ext.sheets.parts import first_rows, refused_rows
from admin_ext.sheets.tests.loading import HEADER, checked, counts, loaded, run_job, sent
from catalog.exchange.errors import FileRefused
from catalog.products.upsert import upsert_product
from catalog.stock.adjust import adjust_stock
from catalog.tests.shop import MARINA, assert_whole, draft, everything
from gateway.mongo.client import Document
from gateway.tests.races import at_once

pytestmark = pytest.mark.usefixtures("two_shards")

NEW = "PROD-7;Чайник;Видео;1 990,00;;5;белый"
CHEAPER = "PROD-1;;;4 500;;;"
FILE = f"{HEADER}\n{NEW}\n{CHEAPER}\n"


def reasons(sheet_id: str) -> list[tuple[int, str, list[str]]]:
    return [
        (row["number"], row["id"], [f"{each['field']}: {each['ru']}" for each in row["reasons"]])
        for _, row, _ in refused_rows(sheet_id)
    ]


def product(shop: Database[Document], product_id: str) -> Document:
    found = shop["products"].find_one({"_id": product_id})
    assert found
    return found


def test_check_writes_nothing_and_tells_what_would_happen(stocked_shop: Database[Document]) -> None:
    before = everything(stocked_shop)

    sheet = checked(f"{FILE}PROD-1;Снова;;;;;\nPROD-8;;нет такой;дорого;;-1;\n")

    assert everything(stocked_shop) == before
    assert counts(sheet["check_job"]) == {"created": 1, "changed": 1, "bad": 2}
    told = first_rows(sheet["_id"], "changed", 50)
    assert [(row["id"], [tuple(change) for change in row["changes"]]) for row in told] == [
        ("PROD-1", [("base_price", "4990.00", "4500.00")])
    ]
    assert reasons(sheet["_id"]) == [
        (4, "PROD-1", ["id: Артикул PROD-1 уже был в строке 3."]),
        (
            5,
            "PROD-8",
            [
                "category: Категории «нет такой» нет.",
                "base_price: Укажите сумму цифрами, например 25 990,50.",
                "stock.msk: «-1» — не целое число.",
                "name: Обязательное поле.",
            ],
        ),
    ]


def test_load_does_what_the_check_has_shown(stocked_shop: Database[Document]) -> None:
    sheet = loaded(FILE)

    assert counts(sheet["load_job"]) == {"created": 1, "changed": 1}
    made, changed = product(stocked_shop, "PROD-7"), product(stocked_shop, "PROD-1")
    made_prices = str(made["prices"]["base"])
    assert (made["category"], made["attributes"], made_prices) == ("video", {"Цвет": "белый"}, "1990.00")
    assert made["stock"] == [{"geozone": "msk", "quantity": 5, "reserved": 0}]
    assert (str(changed["prices"]["base"]), str(changed["prices"]["sale"])) == ("4500.00", "3990.00")
    assert changed["edited_by"] == MARINA.name
    assert_whole(stocked_shop)
    told = [
        (entry["action"], entry["target"], entry["source"], entry["reason"])
        for entry in stocked_shop["audit"].find({"step": sheet["load_job"]}).sort("target")
    ]
    assert told == [
        ("product.changed", "product:PROD-1", "import", "файл товары.csv"),
        ("product.added", "product:PROD-7", "import", "файл товары.csv"),
    ]


def test_same_file_again_changes_nothing(stocked_shop: Database[Document]) -> None:
    loaded(FILE)
    before = everything(stocked_shop)

    sheet = checked(FILE)

    assert counts(sheet["check_job"]) == {"unchanged": 2}
    with pytest.raises(NothingToLoad):
        load_import(sheet["_id"], may_change_stock=True, actor=MARINA)
    assert everything(stocked_shop) == before


def test_two_imports_of_one_file_at_once_make_one_change(stocked_shop: Database[Document]) -> None:
    sheets = [checked(FILE), checked(FILE)]
    jobs = [load_import(sheet["_id"], may_change_stock=True, actor=MARINA)["load_job"] for sheet in sheets]

    at_once(*(partial(run_job, job) for job in jobs))
    for job in jobs:
        run_job(job)

    assert sorted(map(counts, jobs), key=len) == [{"unchanged": 2}, {"created": 1, "changed": 1}]
    assert stocked_shop["audit"].count_documents({"source": "import"}) == 2
    assert_whole(stocked_shop)


def test_load_pressed_twice_is_one_job(stocked_shop: Database[Document]) -> None:
    sheet = checked(FILE)

    jobs = {
        load_import(sheet["_id"], may_change_stock=True, actor=actor)["load_job"]
        for actor in (MARINA, MARINA._replace(id="2"))
    }

    assert len(jobs) == 1
    assert stocked_shop["jobs"].count_documents({"kind": "sheet_load"}) == 1


def test_what_was_changed_after_the_check_is_left_and_told(stocked_shop: Database[Document]) -> None:
    sheet = checked(f"{HEADER}\nPROD-1;Тишина;;4500;;7;\nPROD-7;Чайник;video;1990;;;\n")
    upsert_product(draft(base_price=Decimal(5500)), actor=MARINA)
    adjust_stock("PROD-1", "msk", actor=MARINA, reason="продажа", delta=-1)
    upsert_product(draft(product_id="PROD-7", name="Другой чайник", category="video"), actor=MARINA)

    run_job(load_import(sheet["_id"], may_change_stock=True, actor=MARINA)["load_job"])

    changed = product(stocked_shop, "PROD-1")
    assert (changed["name"], str(changed["prices"]["base"])) == ("Тишина", "5500.00")
    assert [level["quantity"] for level in changed["stock"]] == [9]
    assert counts(import_of(sheet["_id"])["load_job"]) == {"changed": 1, "bad": 1}
    told = "После проверки файла значение изменил кто-то другой: было «{}», сейчас «{}». Оставлено как есть."
    assert reasons(sheet["_id"]) == [
        (2, "PROD-1", [f"base_price: {told.format('4990.00', '5500.00')}", f"stock.msk: {told.format(10, 9)}"]),
        (3, "PROD-7", [": Товар появился после проверки файла, с другими значениями. Проверьте файл ещё раз."]),
    ]


def test_what_was_reserved_after_the_check_is_not_taken_away(stocked_shop: Database[Document]) -> None:
    sheet = checked(f"{HEADER}\nPROD-1;;;;;2;\n")
    stocked_shop["products"].update_one({"_id": "PROD-1"}, {"$set": {"stock.0.reserved": 3}})

    run_job(load_import(sheet["_id"], may_change_stock=True, actor=MARINA)["load_job"])

    assert reasons(sheet["_id"]) == [
        (2, "PROD-1", ["stock.msk: Нельзя меньше, чем в резерве: зарезервировано 3, получилось бы 2."])
    ]


def test_check_again_sees_the_shop_of_now(stocked_shop: Database[Document]) -> None:
    sheet = checked(FILE)
    upsert_product(draft(base_price=Decimal(4500)), actor=MARINA)

    again = check_again(sheet["_id"], may_change_stock=True, actor=MARINA)
    run_job(again["check_job"])

    assert counts(again["check_job"]) == {"created": 1, "unchanged": 1}
    assert counts(sheet["check_job"]) == {"created": 1, "changed": 1}


def test_marks_empty_values(stocked_shop: Database[Document]) -> None:
    loaded("id;sale price;описание;Характеристика: цвет\nPROD-1;[пусто];[empty];[пусто]\n")

    changed = product(stocked_shop, "PROD-1")

    assert (changed["prices"]["sale"], changed["description"], changed["attributes"]) == (None, "", {})


def test_product_is_moved_by_its_category(stocked_shop: Database[Document]) -> None:
    sheet = loaded("id;category\nPROD-1;Видео\n")

    assert job_of(sheet["load_job"])["scope"] == ["category:audio", "category:video"]
    assert_whole(stocked_shop)
    assert stocked_shop["product_directory"].find_one({"_id": "PROD-1"}) == {"_id": "PROD-1", "category": "video"}


def test_stock_needs_its_own_right(stocked_shop: Database[Document]) -> None:
    sheet = checked(FILE, may_change_stock=False)

    assert counts(sheet["check_job"]) == {"changed": 1, "bad": 1}
    assert reasons(sheet["_id"]) == [(2, "PROD-7", ["stock.msk: У вас нет права менять остатки."])]


def test_id_named_again_much_later_is_told(shop: Database[Document]) -> None:
    rows = [f"PROD-{number};Чайник {number};video;100;;;" for number in range(1, 601)]

    sheet = checked("\n".join([HEADER, *rows, rows[0]]))

    assert counts(sheet["check_job"]) == {"created": 600, "bad": 1}
    assert reasons(sheet["_id"]) == [(602, "PROD-1", ["id: Артикул PROD-1 уже был в строке 2."])]


def test_file_that_breaks_off_is_not_loaded(shop: Database[Document]) -> None:
    sheet = checked(f'{HEADER}\n{NEW}\nPROD-8;"{"x" * 200_000}')

    job = job_of(sheet["check_job"])

    assert (job["state"], job["log"][-1]["ru"]) == (
        "failed",
        "После строки 2 файл не читается: кавычка не закрыта или строка слишком длинная.",
    )
    with pytest.raises(NotChecked):
        load_import(sheet["_id"], may_change_stock=True, actor=MARINA)


def test_refused_file_is_not_kept(shop: Database[Document], settings: Settings) -> None:
    settings.SHEET_MAX_BYTES = 1000
    for text in ("", "Название;Цена\n", "x" * 1001):
        with pytest.raises((FileRefused, FileTooLarge)):
            sent(text)

    kept = [shop[name].count_documents({}) for name in ("sheet_imports", "sheet_files", "sheet_chunks", "jobs")]
    assert kept == [0, 0, 0, 0]


def test_stock_that_another_was_allowed_is_loaded_by_nobody_else(stocked_shop: Database[Document]) -> None:
    sheet = checked(FILE)
    before = everything(stocked_shop)

    with pytest.raises(StockOfAnother):
        load_import(sheet["_id"], may_change_stock=False, actor=MARINA)

    assert everything(stocked_shop) == before
    assert "load_job" not in import_of(sheet["_id"])


def test_file_sent_twice_by_one_form_is_one_import(shop: Database[Document]) -> None:
    ids = {each["_id"] for each in at_once(*(partial(sent, FILE, key="form") for _ in range(4)))}
    again = {each["_id"] for each in at_once(*(partial(_check_again, next(iter(ids))) for _ in range(4)))}

    assert (len(ids), len(again)) == (1, 1)
    assert shop["jobs"].count_documents({"kind": "sheet_check"}) == 2


def _check_again(import_id: str) -> ImportDocument:
    return check_again(import_id, may_change_stock=True, actor=MARINA, key="form")


def test_doubts_are_counted(stocked_shop: Database[Document]) -> None:
    sheet = checked("id;price;sale price\nPROD-1;20000;3000\n")

    assert counts(sheet["check_job"]) == {"changed": 1, "deep_discount": 1, "price_jump": 1}
