"""Loading happens once and can be taken back: whoever dies, whoever presses again, whoever changes something since."""

from collections.abc import Callable
from pathlib import Path

import pytest
from pymongo.database import Database

from admin_ext.bulk.tests.products import product, put
from admin_ext.job_kinds import KINDS
from admin_ext.jobs.controls import undo
from admin_ext.jobs.documents import JobDocument
from admin_ext.jobs.queue import job_of
from admin_ext.jobs.tests.test_runner import free_the_lease
from admin_ext.jobs.turns import resend_waiting
from admin_ext.sheets.documents import ImportDocument
from admin_ext.sheets.imports import import_of, load_import
from admin_ext.sheets.parts import parts, refused_rows
from admin_ext.sheets.tests.loading import checked, counts, loaded, run_job, sent
from catalog.changes.batch import Wanted, change_product
from catalog.products.cards import ProductKey
from catalog.tests.shop import MARINA, assert_whole
from gateway.audit.trail import Actor
from gateway.mongo.client import Document
from gateway.tests.eventually import eventually
from gateway.tests.races import paused_process

pytestmark = pytest.mark.usefixtures("two_shards")

PETER = Actor("2", "peter@mobile-world.example")
HEADER = "Артикул;Название;Категория;Цена;Остаток: Москва;Снят с продажи"
# Ten products that are there get another price, ten are new.
FILE = "\n".join(
    [
        HEADER,
        *(f"PROD-{number:05};;;777;;" for number in range(10)),
        *(f"NEW-{number:05};Чайник {number};{'audio' if number % 2 else 'video'};500;3;" for number in range(10)),
    ]
)


@pytest.fixture
def products(shop: Database[Document]) -> Database[Document]:
    put(shop, *(product(number, "audio" if number < 5 else "video") for number in range(10)))
    return shop


def prices(database: Database[Document]) -> dict[str, str]:
    return {each["_id"]: str(each["prices"]["base"]) for each in database["products"].find()}


AFTER = {**{f"PROD-{n:05}": "777.00" for n in range(10)}, **{f"NEW-{n:05}": "500.00" for n in range(10)}}


def undone(job_id: str) -> JobDocument:
    return run_job(undo(job_id, KINDS, actor=MARINA)["_id"])


def told(job: JobDocument) -> tuple[str, dict[str, int]]:
    return job["state"], {name: number for name, number in job["counts"].items() if number}


def begun() -> ImportDocument:
    """The import of the file, checked; its loading waits for a worker."""
    return load_import(checked(FILE)["_id"], may_change_stock=True, actor=MARINA)


def assert_loaded_once(database: Database[Document], job_id: str) -> None:
    assert told(job_of(job_id)) == ("done", {"changed": 10, "created": 10})
    assert prices(database) == AFTER
    assert database["audit"].count_documents({"step": job_id}) == 20
    assert_whole(database)


def worker_of(job_id: str) -> str:
    return f"""
from admin_ext.job_kinds import KINDS
from admin_ext.jobs.runner import run
run({job_id!r}, KINDS)
"""


def slowly(database: Database[Document], job_id: str) -> str:
    """The job, in pieces of four rows."""
    database["jobs"].update_one({"_id": job_id}, {"$set": {"pace": 4}})
    return job_id


def test_killed_check_tells_each_row_once(products: Database[Document]) -> None:
    job_id = slowly(products, sent(FILE)["check_job"])
    with paused_process(products, worker_of(job_id), command="commitTransaction", number=3) as worker:
        worker.kill()
    free_the_lease(products, job_id)

    job = run_job(job_id)

    assert told(job) == ("done", {"changed": 10, "created": 10})
    sheet = job["parameters"]["sheet"]
    rows = [row["id"] for part in parts().find({"sheet": sheet}).sort("number") for row in part["rows"]]
    assert sorted(rows) == sorted(AFTER)


@pytest.mark.parametrize(("command", "collection"), [("insert", "product_directory"), ("commitTransaction", None)])
def test_killed_worker_has_loaded_a_piece_or_not(
    products: Database[Document], command: str, collection: str | None
) -> None:
    job_id = slowly(products, begun()["load_job"])
    with paused_process(products, worker_of(job_id), command=command, collection=collection, number=2) as worker:
        worker.kill()
    free_the_lease(products, job_id)

    run_job(job_id)

    assert_loaded_once(products, job_id)


def test_import_of_a_killed_worker_is_ended_by_another(
    products: Database[Document], run_worker: Callable[..., Path]
) -> None:
    job_id = slowly(products, begun()["load_job"])
    with paused_process(
        products, worker_of(job_id), command="update", collection="products", number=2, when="answered"
    ) as worker:
        worker.kill()
    assert prices(products) != AFTER
    free_the_lease(products, job_id)

    log = run_worker("--pool", "solo")
    assert resend_waiting() == 1
    eventually(lambda: job_of(job_id)["state"], "done", within=60, why=log.read_text)

    assert_loaded_once(products, job_id)


def test_undo_restores_what_nobody_changed_and_names_the_rest_with_both_values(products: Database[Document]) -> None:
    sheet = loaded(FILE)
    change_product(ProductKey("audio", "PROD-00003"), Wanted({"base_price": "888.00"}), actor=PETER)
    change_product(ProductKey("video", "NEW-00000"), Wanted({"withdrawn": True}), actor=PETER)

    undoing = undone(sheet["load_job"])

    assert told(undoing) == ("done", {"restored": 18, "conflicts": 1, "unchanged": 1, "remarks": 1})
    remarks = products["job_remarks"].find({"job": undoing["_id"]})
    assert [(each["product"], each["field"], each["now"], each["wished"]) for each in remarks] == [
        ("PROD-00003", "base_price", "888.00", "1030.00")
    ]
    withdrawn = {each["_id"] for each in products["products"].find({"withdrawn": True})}
    assert withdrawn == {f"NEW-{number:05}" for number in range(10)}
    assert prices(products)["PROD-00004"] == "1040.00"
    assert_whole(products)


def test_undo_is_undone(products: Database[Document]) -> None:
    sheet = loaded(FILE)
    undoing = undone(sheet["load_job"])

    redone = undone(undoing["_id"])

    assert told(redone) == ("done", {"restored": 20})
    assert prices(products) == AFTER
    assert products["products"].count_documents({"withdrawn": True}) == 0
    assert job_of(undoing["_id"])["undone_by"] == redone["_id"]


def test_product_that_was_made_withdrawn_needs_no_undo(products: Database[Document]) -> None:
    sheet = loaded(f"{HEADER}\nNEW-1;Чайник;video;500;;да\n")

    assert told(undone(sheet["load_job"])) == ("done", {"unchanged": 1})
    assert products["products"].count_documents({"withdrawn": True}) == 1


def test_rows_that_were_refused_are_corrected_and_loaded(products: Database[Document]) -> None:
    sheet: ImportDocument = loaded(f"{FILE}\nNEW-X;;video;дорого;1;\n")
    assert counts(import_of(sheet["_id"])["check_job"]) == {"changed": 10, "created": 10, "bad": 1}
    assert prices(products) == AFTER
    assert [row["id"] for _, row, _ in refused_rows(sheet["_id"])] == ["NEW-X"]

    loaded(f"{HEADER}\nNEW-X;Чайник;video;900;1;\n")

    assert prices(products) == {**AFTER, "NEW-X": "900.00"}
