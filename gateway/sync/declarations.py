"""What is kept in step with Cassandra: each app says so once, as SYNCED in its cassandra/sync.py."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from django.apps import apps
from django.utils.module_loading import module_has_submodule

from gateway.cassandra.statements import Row, Select, Write
from gateway.cassandra.table import Table
from gateway.mongo.client import Document
from gateway.mongo.policies import SYNC, under
from gateway.sync.majority import committed

Rows = Callable[[Document], Iterable[tuple[Table, Row]]]
Lookups = Callable[[Sequence[Document]], Iterable[Iterable[tuple[Table, Select]]]]


def _nothing(_: Document) -> Document:
    return {}


def _no_note() -> str:
    return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Synced:
    """Documents of one collection and the rows they make."""

    collection: str
    key: tuple[str, ...]
    """Fields that address a document: the shard key and `_id`."""
    tables: tuple[Table, ...]
    writes: Callable[[Document], Iterable[Write]]
    """All rows of this version, and deletions of those that earlier versions may have left elsewhere."""
    placed: Callable[[Document], Document] = _nothing
    """Fields to be written into the document before its rows are: where those go that could go elsewhere.

    So whoever syncs it next, after a crash or at the same time, knows every place where a row may be."""
    tidied: Callable[[Document], Document] = _nothing
    """Pipeline fields to be set once the rows are there: places that need not be remembered any more."""

    rows: Rows | None = None
    """Each row of this version with its table, to be compared with what is there. None: cannot be compared."""
    lookups: Lookups | None = None
    """For each document the reads that find its rows, and any that it should not have. None: each row by its key."""
    walked: tuple[Table, ...] = ()
    """Those of its tables of which every row is looked at for one that no document makes."""
    id_column: str = ""
    """Where these hold the id of the document."""
    not_rebuilt: Callable[[], str] = _no_note
    """What its tables hold that no document makes any more, in words; empty when there is nothing."""

    def address(self, document: Mapping[str, Any]) -> Document:
        return {field: document[field] for field in self.key}

    def key_of(self, document: Mapping[str, Any]) -> tuple[str, ...]:
        return tuple(document[field] for field in self.key)

    def find(self, keys: Sequence[tuple[str, ...]]) -> list[Document]:
        """As committed on the primary. A document that has moved since its key was taken is left to the sweep."""
        if not keys:
            return []
        columns = list(zip(*keys, strict=True))
        where = {field: {"$in": sorted(set(values))} for field, values in zip(self.key, columns, strict=True)}
        with under(SYNC):
            return list(committed(self.collection).find(where))


def declared() -> Iterator[Synced]:
    for app in apps.get_app_configs():
        if app.module is None or not module_has_submodule(app.module, "cassandra"):
            continue
        if module_has_submodule(import_module(f"{app.name}.cassandra"), "sync"):
            yield import_module(f"{app.name}.cassandra.sync").SYNCED


def declared_as(collection: str) -> Synced:
    return next(synced for synced in declared() if synced.collection == collection)
