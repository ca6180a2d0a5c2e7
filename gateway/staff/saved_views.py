"""Saved views: a search, filters and an order of a list under a name, one's own or shared with all who see the list."""

from collections.abc import Sequence

from pymongo.collection import Collection
from pymongo.errors import DuplicateKeyError

from gateway.domain.errors import Code, DomainError, Refused
from gateway.domain.input import normal_key, text_errors
from gateway.domain.texts import Text
from gateway.domain.uuid7 import uuid7
from gateway.mongo.client import collection_of
from gateway.mongo.policies import STAFF_LIST
from gateway.mongo.reads import Read
from gateway.staff.documents import SavedViewDocument
from gateway.staff.models import SavedView

VIEWS = SavedView._meta.db_table
MAX_NAME = 60
MAX_QUERY = 1_000
# More are a list of their own, which nobody looks through.
MAX_VIEWS = 30
SHARED = ""


class NameTaken(DomainError):
    code = Code.CONFLICT
    text = Text("Вид с таким названием уже есть.", "There is a view of this name already.")


class TooManyViews(DomainError):
    code = Code.QUANTITY_LIMIT
    text = Text("Не больше {limit} видов: удалите лишние.", "At most {limit} views: delete some.")


class UnknownView(DomainError):
    code = Code.NOT_FOUND
    text = Text("Такого вида нет: возможно, его удалили.", "There is no such view: it may have been deleted.")


class QueryTooLong(DomainError):
    code = Code.INVALID
    text = Text("Слишком длинный запрос: его не сохранить.", "The query is too long to be kept.")


def views_of(listed: str, account: str) -> Read[Sequence[SavedViewDocument]]:
    """The views of this list that the account sees: its own and those shared, by name."""
    return Read(
        collection=VIEWS,
        policy=STAFF_LIST,
        where={"list": listed, "space": {"$in": [account, SHARED]}},
        sort=(("folded", 1),),
        limit=2 * MAX_VIEWS,
        result=lambda documents: documents,
    )


def save_view(listed: str, name: str, query: str, *, account: str, is_shared: bool) -> None:
    """Keep the query under this name. Repeated, it is refused: the name is taken."""
    name = _checked(name)
    if len(query) > MAX_QUERY:
        raise QueryTooLong
    space = SHARED if is_shared else account
    if _views().count_documents({"list": listed, "space": space}, limit=MAX_VIEWS) >= MAX_VIEWS:
        raise TooManyViews(limit=MAX_VIEWS)
    view: SavedViewDocument = {
        "_id": str(uuid7()),
        "list": listed,
        "space": space,
        "name": name,
        "folded": name.casefold(),
        "query": query,
        "maker": account,
    }
    try:
        _views().insert_one(view)
    except DuplicateKeyError as error:
        raise NameTaken("name") from error


def rename_view(view_id: str, name: str, *, account: str) -> None:
    """Rename a view that the account made; a shared one too."""
    name = _checked(name)
    try:
        done = _views().update_one(_own(view_id, account), {"$set": {"name": name, "folded": name.casefold()}})
    except DuplicateKeyError as error:
        raise NameTaken("name") from error
    if not done.matched_count:
        raise UnknownView


def delete_view(view_id: str, *, account: str) -> None:
    """Delete a view that the account made. Repeated, it is refused: there is none."""
    if not _views().delete_one(_own(view_id, account)).deleted_count:
        raise UnknownView


def _own(view_id: str, account: str) -> dict[str, str]:
    return {"_id": view_id, "maker": account}


def _checked(name: str) -> str:
    name = normal_key(name)
    if errors := text_errors(name, MAX_NAME, "name"):
        raise Refused(errors)
    return name


def _views() -> Collection[SavedViewDocument]:
    return collection_of(VIEWS, SavedViewDocument)
