"""An import from the upload to the shop: the file is kept, checked by one job and loaded by another."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import PurePath
from typing import BinaryIO

from django.conf import settings
from pymongo.collection import Collection
from pymongo.errors import DuplicateKeyError

from admin_ext.jobs.kinds import Submission
from admin_ext.jobs.queue import CATALOG, id_under, job_of, submit_as
from admin_ext.sheets.documents import ImportDocument
from admin_ext.sheets.files import CHUNK, FileGone, expiry, store_file
from admin_ext.sheets.models import SheetImport
from admin_ext.sheets.parts import categories_of
from catalog.changes.values import QUANTITY
from catalog.exchange.columns import is_known, match_columns
from catalog.exchange.sheets.files import open_sheet
from catalog.structure.names import GEOZONE_NAMES
from gateway.audit.trail import Actor, Source
from gateway.domain.errors import Code, DomainError
from gateway.domain.texts import Text
from gateway.domain.uuid7 import uuid7
from gateway.mongo.client import collection_of

IMPORTS = SheetImport._meta.db_table
CHECK, LOAD = "sheet_check", "sheet_load"
CHECK_TITLE = Text("Проверка файла {name}", "Check of file {name}")
LOAD_TITLE = Text("Загрузка файла {name}", "Import of file {name}")
# A job over more categories than that waits for all others, and they for it.
MAX_SCOPE = 40
MAX_NAME = 120


class FileTooLarge(DomainError):
    code = Code.INVALID
    text = Text("Файл больше {limit} МБ: разделите его.", "The file is larger than {limit} MB: divide it.")


class NotChecked(DomainError):
    code = Code.CONFLICT
    text = Text("Файл ещё не проверен до конца.", "The file has not been checked to its end yet.")


class StockOfAnother(DomainError):
    code = Code.FORBIDDEN
    text = Text(
        "В файле меняются остатки, а у вас нет такого права. Проверьте файл снова: эти строки будут отклонены.",
        "The file changes stock, which you may not. Check the file again: those rows will be refused.",
    )


class NothingToLoad(DomainError):
    code = Code.CONFLICT
    text = Text("В файле нечего загружать.", "There is nothing to load in the file.")


def begin_import(
    file: BinaryIO, name: str, *, size: int, may_change_stock: bool, actor: Actor, key: str | None = None
) -> ImportDocument:
    """Keep the file and have it checked. Raises DomainError for what is no sheet of products; then nothing is kept.

    Under the same key of the same person it is the same import.
    """
    limit = settings.SHEET_MAX_BYTES
    if size > limit:
        raise FileTooLarge(limit=limit // 1_000_000)
    sheet = open_sheet(file, max_rows=settings.SHEET_MAX_ROWS, is_known=is_known)
    columns = match_columns(sheet.header, GEOZONE_NAMES.get())
    file.seek(0)
    file_id = store_file(name, _blocks(file), "", owner=actor.id)
    document: ImportDocument = {
        "_id": _new_id(actor, key),
        "name": PurePath(name.replace("\\", "/")).name[-MAX_NAME:] or "—",
        "file": file_id,
        "format": sheet.format.value,
        "encoding": sheet.encoding,
        "separator": sheet.separator,
        "header": list(sheet.header),
        "fields": list(columns.fields),
        "unknown": list(columns.unknown),
        "may_change_stock": may_change_stock,
        "owner": actor.id,
        "owner_name": actor.name,
        "check_job": "",
        "created_at": datetime.now(UTC),
        "expires_at": expiry(),
    }
    return _begin_check(document, actor)


def check_again(import_id: str, *, may_change_stock: bool, actor: Actor, key: str | None = None) -> ImportDocument:
    """Check the same file once more, against the shop as it is now: a new import of it."""
    before = import_of(import_id)
    again: ImportDocument = {
        **before,
        "_id": _new_id(actor, key and f"{import_id}:{key}"),
        "may_change_stock": may_change_stock,
        "owner": actor.id,
        "owner_name": actor.name,
        "created_at": datetime.now(UTC),
    }
    again.pop("load_job", None)
    return _begin_check(again, actor)


def load_import(import_id: str, *, may_change_stock: bool, actor: Actor) -> ImportDocument:
    """Have the checked file loaded; asked twice, by whomever, it is one job."""
    sheet = import_of(import_id)
    if changes_stock(sheet) and not may_change_stock:
        raise StockOfAnother
    check = job_of(sheet["check_job"])
    if check["state"] != "done":
        raise NotChecked
    total = check["counts"].get("created", 0) + check["counts"].get("changed", 0)
    if not total:
        raise NothingToLoad
    submission = Submission(
        kind=LOAD,
        title=_titled(LOAD_TITLE, sheet["name"]),
        parameters={"sheet": import_id},
        scope=_scope(import_id),
        total=total,
        source=Source.IMPORT,
    )
    job_id = id_under(f"load:{import_id}")
    imports().update_one({"_id": import_id}, {"$set": {"load_job": job_id}})
    submit_as(job_id, submission, actor=actor)
    return import_of(import_id)


def changes_stock(sheet: ImportDocument) -> bool:
    """Whether stock stands in the file, and was checked for somebody who may change it."""
    return sheet["may_change_stock"] and any(field and field.startswith(QUANTITY) for field in sheet["fields"])


def import_of(import_id: str) -> ImportDocument:
    """Raises FileGone."""
    found = imports().find_one({"_id": import_id})
    if found is None:
        raise FileGone(days=settings.SHEET_KEPT_DAYS)
    return found


def _begin_check(sheet: ImportDocument, actor: Actor) -> ImportDocument:
    job_id = id_under(f"check:{sheet['_id']}")
    # The import first: a job without it would fail, an import without its job is begun again by whoever sends again.
    document: ImportDocument = {**sheet, "check_job": job_id}
    try:
        imports().insert_one(document)
    except DuplicateKeyError:
        document = import_of(sheet["_id"])
    submission = Submission(
        kind=CHECK, title=_titled(CHECK_TITLE, sheet["name"]), parameters={"sheet": sheet["_id"]}, source=Source.IMPORT
    )
    submit_as(job_id, submission, actor=actor)
    return document


def _new_id(actor: Actor, key: str | None) -> str:
    return id_under(f"import:{actor.id}:{key}") if key else str(uuid7())


def _scope(import_id: str) -> tuple[str, ...]:
    categories = categories_of(import_id)
    return (CATALOG,) if len(categories) > MAX_SCOPE else tuple(f"category:{slug}" for slug in categories)


def _titled(title: Text, name: str) -> Text:
    """The title with the name of a file, whatever signs it holds."""
    plain = name.replace("{", "{{").replace("}", "}}")
    return Text(title.ru.replace("{name}", plain), title.en.replace("{name}", plain))


def _blocks(file: BinaryIO) -> Iterator[bytes]:
    while block := file.read(CHUNK):
        yield block


def imports() -> Collection[ImportDocument]:
    return collection_of(IMPORTS, ImportDocument)
