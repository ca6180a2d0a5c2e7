"""The pages of import and export, as they answer those who may and those who may not."""

from typing import Any

import pytest
from django.contrib.auth.models import Permission
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from pymongo.database import Database
from pytest_django import Settings

from admin_ext.jobs.queue import job_of
from admin_ext.sheets.links import template_url
from admin_ext.sheets.pages.page import REFUSED
from admin_ext.sheets.tests.loading import HEADER, counts, run_job
from admin_ext.tests.people import in_english, member
from catalog.changes.batch import Wanted, change_product
from catalog.exchange.errors import ValueChangedMeanwhile
from catalog.exchange.sheets.rows import Format
from catalog.products.cards import ProductKey
from catalog.tests.shop import MARINA, everything
from gateway.accounts.models import User
from gateway.accounts.roles import ANALYSTS, MERCHANDISERS, SUPPORT
from gateway.mongo.client import Document
from gateway.mongo.commands import COMMANDS

pytestmark = pytest.mark.filterwarnings("ignore:StreamingHttpResponse must consume asynchronous")

UPLOAD, LIST, EXPORT = "admin:import_products", "admin:sheets_sheetimport_changelist", "admin:export_products"
NEW, CHEAPER = "PROD-7;Чайник;Видео;1 990,00;;5;белый", "PROD-1;;;4 500;;;"
BAD = "PROD-8;=cmd();нет такой;дорого;;;"
FILE = f"{HEADER}\n{NEW}\n{CHEAPER}\n{BAD}\n"


@pytest.fixture
def marina(stocked_shop: Database[Document]) -> Client:
    return member(MERCHANDISERS)


def send(browser: Client, data: str | bytes, **given: str) -> Any:
    raw = data if isinstance(data, bytes) else data.encode()
    return browser.post(reverse(UPLOAD), {"file": SimpleUploadedFile("товары.csv", raw), **given})


def send_and_check(browser: Client, data: str | bytes = FILE) -> str:
    """Returns the id of the import."""
    address: str = send(browser, data).url
    import_id = address.split("/")[-3]
    job_id = browser.get(address).context["job"]["_id"]
    run_job(job_id)
    return import_id


def page(browser: Client, import_id: str, name: str = "change", query: str = "") -> Any:
    return browser.get(reverse(f"admin:sheets_sheetimport_{name}", args=[import_id]) + query)


def press(browser: Client, import_id: str, name: str, **given: str) -> Any:
    return browser.post(reverse(f"admin:sheets_sheetimport_{name}", args=[import_id]), given)


def body(answer: Any) -> bytes:
    return b"".join(answer)


def told(answer: Any) -> list[str]:
    return [str(message) for message in answer.context["messages"]]


def test_file_is_sent_shown_and_loaded(marina: Client, stocked_shop: Database[Document]) -> None:
    before = everything(stocked_shop)
    import_id = send_and_check(marina)

    shown = page(marina, import_id).context

    assert everything(stocked_shop) == before
    assert shown["stage"] == "проверен"
    assert [(row.product_id, [str(each) for each in row.changes]) for row in shown["changed_rows"]] == [
        ("PROD-1", ["цена 4 990,00 ₽ → 4 500,00 ₽"])
    ]
    assert [(row.number, row.product_id) for row in shown["created_rows"]] == [(2, "PROD-7")]
    assert [(line.number, line.product_id, line.reasons) for line in shown["refused_lines"]] == [
        (4, "PROD-8", ["Категория: Категории «нет такой» нет.", "Цена: Укажите сумму цифрами, например 25 990,50."])
    ]
    addresses = {press(marina, import_id, "load").url for _ in range(2)}
    assert addresses == {reverse("admin:sheets_sheetimport_change", args=[import_id])}
    run_job(page(marina, import_id).context["job"]["_id"])
    shown = page(marina, import_id).context
    assert (shown["stage"], shown["may_load"]) == ("загружен", False)
    assert stocked_shop["jobs"].count_documents({"kind": "sheet_load"}) == 1
    entry = stocked_shop["audit"].find_one({"target": "product:PROD-7"})
    assert entry is not None
    assert (entry["actor"], entry["source"]) == (User.objects.latest("pk").email, "import")


def test_rows_with_errors_come_back_with_reasons_and_are_refused_again_as_they_are(
    marina: Client, stocked_shop: Database[Document]
) -> None:
    import_id = send_and_check(marina)

    answer = page(marina, import_id, "refused")

    assert answer["Content-Disposition"].endswith("%D1%82%D0%BE%D0%B2%D0%B0%D1%80%D1%8B.csv")
    data = body(answer)
    reasons = "Категория: Категории «нет такой» нет. Цена: Укажите сумму цифрами, например 25 990,50."
    assert data.decode("utf-8-sig").splitlines() == [
        f"{HEADER};Причина отказа",
        f"PROD-8;'=cmd();нет такой;дорого;;;;{reasons}",
    ]
    again = send_and_check(marina, data)
    assert page(marina, again).context["unknown"] == ""
    assert body(page(marina, again, "refused")) == data
    corrected = data.decode().replace("нет такой", "Видео").replace("дорого", "990")
    assert counts(page(marina, send_and_check(marina, corrected)).context["job"]["_id"]) == {"created": 1}


def test_rows_with_errors_are_paged(marina: Client) -> None:
    rows = [f"PROD-{number};;;дорого;;;" for number in range(100, 100 + 2 * REFUSED + 7)]
    import_id = send_and_check(marina, "\n".join([HEADER, *rows]))

    numbers, query = [], ""
    for _ in range(3):
        shown = page(marina, import_id, query=query).context
        numbers.append([line.number for line in shown["refused_lines"]])
        query = f"?{shown['further']}"

    assert [len(each) for each in numbers] == [REFUSED, REFUSED, 7]
    assert [number for each in numbers for number in each] == list(range(2, 2 * REFUSED + 9))
    assert query == "?"


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "Файл пуст: в нём нет ни одной строки."),
        (
            "Название\nЧайник\n",
            "Нет столбца «Артикул». В первой строке должны быть названия столбцов; найдены: Название.",
        ),
        (b"\x89PNG\r\n\x1a\n\x00\x00", "Это не таблица: нужен файл CSV или XLSX."),
        ("Артикул;Цена\n" + "PROD-1;1\n" * 200, "Файл больше 0 МБ: разделите его."),
    ],
    ids=["nothing", "columns", "picture", "size"],
)
def test_what_is_no_sheet_is_refused_and_not_kept(
    marina: Client, stocked_shop: Database[Document], settings: Settings, data: str | bytes, reason: str
) -> None:
    settings.SHEET_MAX_BYTES = 1000

    answer = send(marina, data)

    assert answer.context["reasons"] == [reason]
    assert reason in answer.content.decode()
    assert [stocked_shop[name].count_documents({}) for name in ("sheet_imports", "sheet_files", "jobs")] == [0, 0, 0]


def test_form_without_a_file_says_so(marina: Client, stocked_shop: Database[Document]) -> None:
    assert marina.post(reverse(UPLOAD), {}).context["reasons"] == ["Выберите файл."]
    assert stocked_shop["sheet_imports"].count_documents({}) == 0


def test_form_sent_twice_is_one_import(marina: Client, stocked_shop: Database[Document]) -> None:
    addresses = {send(marina, FILE, key="k").url for _ in range(2)}

    assert len(addresses) == 1
    assert stocked_shop["jobs"].count_documents({}) == 1


def test_button_that_came_too_early_says_so(marina: Client, stocked_shop: Database[Document]) -> None:
    import_id = send(marina, FILE).url.split("/")[-3]

    answer = marina.post(reverse("admin:sheets_sheetimport_load", args=[import_id]), follow=True)

    assert told(answer) == ["Файл ещё не проверен до конца."]
    assert stocked_shop["jobs"].count_documents({}) == 1


def test_check_that_never_began_is_begun_again(marina: Client, stocked_shop: Database[Document]) -> None:
    import_id = send(marina, FILE).url.split("/")[-3]
    stocked_shop["jobs"].delete_many({})
    assert page(marina, import_id).context["stage"] == "не проверен"

    again = press(marina, import_id, "check").url.split("/")[-3]

    assert again != import_id
    run_job(page(marina, again).context["job"]["_id"])
    assert page(marina, again).context["may_load"] is True


def test_what_was_refused_while_loading_is_told_with_the_rest(marina: Client) -> None:
    import_id = send_and_check(marina)
    change_product(ProductKey("audio", "PROD-1"), Wanted({"base_price": "5000.00"}), actor=MARINA)
    press(marina, import_id, "load")
    run_job(page(marina, import_id).context["job"]["_id"])

    lines = page(marina, import_id).context["refused_lines"]

    assert [(line.product_id, line.is_late) for line in lines] == [("PROD-1", True), ("PROD-8", False)]
    assert lines[0].reasons == [f"Цена: {ValueChangedMeanwhile(seen='4990.00', now='5000.00').message('ru')}"]


def test_columns_that_nobody_knows_are_told(marina: Client) -> None:
    import_id = send_and_check(marina, "Артикул;Цена;Поставщик\nPROD-1;20000;ООО\n")

    shown = page(marina, import_id).context

    assert shown["unknown"] == "Поставщик"
    assert shown["doubts"] == ["скидка больше 50 %: строк 1", "цена меняется больше чем вдвое: строк 1"]


@pytest.mark.parametrize("format_", ["csv", "xlsx"])
def test_template_is_a_file_that_is_understood(marina: Client, stocked_shop: Database[Document], format_: str) -> None:
    data = body(marina.get(template_url(Format(format_))))

    import_id = send_and_check(marina, data)

    assert page(marina, import_id).context["unknown"] == ""
    assert counts(page(marina, import_id).context["job"]["_id"]) == {"created": 1}
    assert marina.get(reverse("admin:import_template") + "?format=ods").status_code == 404


def test_who_may_import_and_who_may_export(marina: Client) -> None:
    import_id = send_and_check(marina)
    for role in (SUPPORT, ANALYSTS):
        browser = member(role)
        assert browser.get(reverse(LIST)).status_code == 200
        assert "Загрузить файл" not in browser.get(reverse(LIST)).content.decode()
        assert browser.get(reverse(EXPORT)).status_code == 200
        assert [browser.get(reverse(UPLOAD)).status_code, send(browser, FILE).status_code] == [403, 403]
        assert page(browser, import_id).status_code == 403
        assert press(browser, import_id, "load").status_code == 403
    assert page(member(MERCHANDISERS), import_id).status_code == 200


def test_import_of_another_is_not_there_for_those_who_see_only_their_own(
    marina: Client, stocked_shop: Database[Document]
) -> None:
    import_id = send_and_check(marina)
    stocked_shop["sheet_imports"].update_one({"_id": import_id}, {"$set": {"owner": "somebody"}})
    other = member(None)
    rights = Permission.objects.filter(codename__in=["view_product", "add_product", "change_product"])
    User.objects.latest("pk").user_permissions.set(rights)

    assert page(other, import_id).status_code == 404
    assert press(other, import_id, "load").status_code == 404
    assert other.get(reverse(LIST)).context["cl"].result_list == []
    assert len(marina.get(reverse(LIST)).context["cl"].result_list) == 1
    assert marina.get(f"{reverse(LIST)}?whose=mine").context["cl"].result_list == []


def test_file_is_for_its_owner(marina: Client, stocked_shop: Database[Document]) -> None:
    analyst, other = member(ANALYSTS), member(ANALYSTS)
    address = analyst.post(reverse(EXPORT) + "?ids=PROD-1", {"target": "csv:utf-8"})["Location"]
    job = run_job(address.split("/")[-3])
    (link,) = job["result"]["links"]
    assert link["ru"].startswith("Скачать файл, ")
    assert link["url"] in analyst.get(address).content.decode()

    assert body(analyst.get(link["url"])).startswith("\ufeffАртикул;".encode())
    assert other.get(link["url"]).status_code == 404
    assert marina.get(link["url"]).status_code == 200
    stocked_shop["sheet_files"].delete_many({})
    gone = analyst.get(link["url"], follow=True)
    assert told(gone) == ["Файла больше нет: он хранится 7 дн."]


def test_export_sent_twice_is_one_job(marina: Client, stocked_shop: Database[Document]) -> None:
    addresses = {marina.post(reverse(EXPORT), {"target": "xlsx:utf-8", "key": "k"})["Location"] for _ in range(2)}

    assert len(addresses) == 1
    (job,) = stocked_shop["jobs"].find()
    assert (job["kind"], job["total"], job_of(job["_id"])["scope"]) == ("export", 1, [])


def test_export_of_nothing_and_of_nonsense(marina: Client, stocked_shop: Database[Document]) -> None:
    assert marina.get(reverse(EXPORT) + "?ids=PROD-404").context["is_empty"] is True
    assert marina.get(reverse(EXPORT) + "?price_from=x").status_code == 302
    assert marina.post(reverse(EXPORT), {"target": "pdf:utf-8"}).context["form"].errors["target"]
    assert stocked_shop["jobs"].count_documents({}) == 0


def test_list_is_read_by_two_commands_whatever_its_length(marina: Client, stocked_shop: Database[Document]) -> None:
    for _ in range(3):
        send(marina, FILE)
    marina.get(reverse(LIST))

    with COMMANDS.counted() as sent:
        shown = marina.get(reverse(LIST))

    rows = shown.context["cl"].result_list
    assert [row.name for row in rows] == ["товары.csv"] * 3
    assert {kind.collection: number for kind, number in sent.items() if kind.policy == "staff.list"} == {
        "sheet_imports": 1,
        "jobs": 1,
        "staff_views": 1,
    }


def test_pages_in_english(marina: Client) -> None:
    import_id = send_and_check(in_english(marina))

    shown = page(marina, import_id)

    assert shown.context["refused_lines"][0].reasons[1] == "Цена: Give an amount in figures, e.g. 25 990.50."
    assert "Rows with errors" in shown.content.decode()
    upload, export = (marina.get(reverse(name)).content.decode() for name in (UPLOAD, EXPORT))
    assert "Import of a file" not in upload
    assert "Import of products from a file" in upload
    assert "Export of products" in export
