"""Products are written into files that change nothing when they are loaded again."""

from typing import Any

import pytest
from pymongo.database import Database

from admin_ext.bulk.tests.products import product, put
from admin_ext.job_kinds import KINDS
from admin_ext.jobs import runner
from admin_ext.jobs.queue import job_of, submit
from admin_ext.jobs.tests.test_runner import free_the_lease
from admin_ext.sheets import export
from admin_ext.sheets.export import export_submission
from admin_ext.sheets.tests.loading import checked, counts, exported, file_of_job, run_job
from catalog.exchange.errors import WorkbookFull
from catalog.exchange.sheets import output
from catalog.exchange.sheets.csv_writer import CP1251, UTF_8
from catalog.exchange.sheets.output import Target
from catalog.exchange.sheets.rows import Format
from catalog.listing.selection import Selection
from catalog.tests.shop import MARINA, everything
from gateway.mongo.client import Document
from gateway.mongo.commands import COMMANDS, Sent
from gateway.tests.races import paused_process

pytestmark = pytest.mark.usefixtures("two_shards")

XLSX, CSV, CSV_1251 = Target(Format.XLSX, "ru"), Target(Format.CSV, "ru", UTF_8), Target(Format.CSV, "en", CP1251)
TARGETS = pytest.mark.parametrize("target", [XLSX, CSV, CSV_1251], ids=["xlsx", "utf-8", "cp1251"])
EVERYTHING = Selection()
ODD: dict[str, Any] = {
    "name": "=HYPERLINK(1)",
    "description": '  «Две»\nстроки; и "кавычки", +7 ₽ → 日本 \'[пусто]',
    "attributes": {"Цвет": "[пусто]", "Вес; кг": "'-5", "@SUM": "0012"},
    "images": [{"url": "/images/PROD-1.svg", "alt": "вид, спереди"}, {"url": "https://x.example/a.png", "alt": ""}],
    "stock": [{"geozone": "spb", "quantity": 0, "reserved": 0}],
    "withdrawn": True,
}


@pytest.fixture
def products(shop: Database[Document]) -> Database[Document]:
    """Twelve products of both categories, one of them as odd as they come."""
    put(shop, *(product(number, "audio" if number < 8 else "video") for number in range(11)), product(11, **ODD))
    return shop


@TARGETS
def test_what_was_exported_changes_nothing_when_it_is_loaded(products: Database[Document], target: Target) -> None:
    before = everything(products)

    job = exported(EVERYTHING, target)
    sheet = checked(file_of_job(job), name=f"products.{target.format.value}")

    assert (job["state"], job["done"], job["total"]) == ("done", 12, 12)
    assert counts(sheet["check_job"]) == {"unchanged": 12}
    assert everything(products) == before


def test_rows_are_those_of_the_filter_under_names_that_people_know(products: Database[Document]) -> None:
    job = exported(Selection(filters={"category": "video"}), CSV)

    header, *rows = file_of_job(job).decode("utf-8-sig").splitlines()

    assert header == (
        "Артикул;Название;Категория;Цена;Цена со скидкой;Снят с продажи;Описание;Изображения;"
        "Характеристика: Цвет;Остаток: Москва;Остаток: Санкт-Петербург"
    )
    assert rows == [f"PROD-{n:05};Наушники {n};Видео;1{n:02}0,00;;нет;Беспроводные.;;чёрный;10;" for n in (8, 9, 10)]


def test_no_cell_is_a_formula(products: Database[Document]) -> None:
    job = exported(Selection(ids=("PROD-00011",)), CSV)

    cells = file_of_job(job).decode("utf-8-sig").replace("\r\n", ";").split(";")

    assert "'=HYPERLINK(1)" in cells
    assert [cell for cell in cells if cell.startswith(("=", "+", "-", "@"))] == []


def test_what_the_encoding_lacks_is_left_empty_and_told(products: Database[Document]) -> None:
    job = exported(EVERYTHING, CSV_1251)

    row = next(line for line in file_of_job(job).decode("cp1251").splitlines() if line.startswith("PROD-00011"))

    assert row.split(";")[6] == ""
    assert job["counts"] == {"written": 12, "left_empty": 1}
    assert [line["en"] for line in job["log"] if line["level"] == "warning"] == [
        "PROD-00011: cells that cannot be written like that are left empty: Description. Loading keeps these values."
    ]


@pytest.mark.parametrize(
    ("target", "command", "collection"),
    [(XLSX, "insert", "sheet_chunks"), (XLSX, "commitTransaction", None), (CSV, "insert", "sheet_chunks")],
    ids=["xlsx-chunk", "xlsx-commit", "csv-chunk"],
)
def test_killed_worker_leaves_a_file_that_is_whole(
    products: Database[Document], target: Target, command: str, collection: str | None
) -> None:
    whole = file_of_job(exported(EVERYTHING, target))
    job_id = submit(export_submission(EVERYTHING, target), actor=MARINA, pace=3)["_id"]
    code = f"""
from admin_ext.job_kinds import KINDS
from admin_ext.jobs.runner import run
run({job_id!r}, KINDS)
"""
    with paused_process(products, code, command=command, collection=collection, number=3) as worker:
        worker.kill()
    free_the_lease(products, job_id)

    job = run_job(job_id)

    assert (job["state"], job["counts"]) == ("done", {"written": 12, "left_empty": job["counts"]["left_empty"]})
    sheet = checked(file_of_job(job), name="products")
    assert counts(sheet["check_job"]) == {"unchanged": 12}
    if target.format is Format.CSV:
        # A workbook is packed part by part, and these were other parts.
        assert file_of_job(job) == whole


def test_piece_of_one_category_reads_its_shard_and_writes_one_chunk(products: Database[Document]) -> None:
    job_id = submit(export_submission(Selection(filters={"category": "audio"}), CSV), actor=MARINA)["_id"]
    for _ in range(2):
        runner.run(job_id, KINDS, seconds=0)
    assert "made" in job_of(job_id)["result"]

    with COMMANDS.counted() as sent:
        assert runner.run(job_id, KINDS, seconds=0)

    assert {kind: number for kind, number in sent.items() if kind.collection in ("products", "sheet_chunks")} == {
        Sent("find", "products", "staff.list", 1): 2,
        Sent("insert", "sheet_chunks", "", 1): 1,
    }


def test_more_than_a_workbook_holds_is_refused(products: Database[Document], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(output, "MAX_ROWS", 12)

    job = exported(EVERYTHING, XLSX)

    assert (job["state"], job["log"][-1]["ru"]) == ("failed", WorkbookFull(limit=11).message("ru"))
    assert job["result"].get("links") is None
    assert exported(Selection(filters={"category": "video"}), XLSX)["state"] == "done"


def test_attributes_beyond_the_columns_are_told(products: Database[Document], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(export, "MAX_COLUMNS", 12)

    job = exported(EVERYTHING, CSV)

    assert job["result"]["made"]["names"] == ["@SUM", "Вес; кг"]
    assert job["log"][-1]["ru"] == "Характеристик больше, чем столбцов в таблице: записаны первые 2."
    assert counts(checked(file_of_job(job))["check_job"]) == {"unchanged": 12}
