"""Declarations of what is kept in step with Cassandra: each app's SYNCED, in its cassandra/sync.py."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Generic, TypeVar, cast

from django.apps import apps
from django.utils.module_loading import module_has_submodule

from gateway.cassandra.statements import Row, Select, Write
from gateway.cassandra.table import Table
from gateway.mongo.client import Expression
from gateway.mongo.policies import SYNC, under
from gateway.sync.batches import BY_ID
from gateway.sync.majority import committed

D = TypeVar("D", bound=Mapping[str, Any])
"""Documents of one collection; all of them have the fields of `gateway.sync.documents.SyncedDocument`."""

Rows = Callable[[D], Iterable[tuple[Table, Row]]]
Lookups = Callable[[Sequence[D]], Iterable[Iterable[tuple[Table, Select]]]]


def _nothing(_: Any) -> Expression:
    return {}


def _no_note() -> str:
    return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Synced(Generic[D]):
    """How the documents of one collection become rows, and how those rows are found again."""

    collection: str
    key: tuple[str, ...]
    """The fields that address a document: the shard key and `_id`."""
    tables: tuple[Table, ...]
    writes: Callable[[D], Iterable[Write]]
    """Returns all rows of this version, and deletions of those that earlier versions may have left elsewhere."""
    writes_of_table: Callable[[D, Table], Iterable[Write]] | None = None
    """Returns those of one table, without making the others. None: they are picked out of `writes`."""
    placed: Callable[[D], Expression] = _nothing
    """Returns fields to set in the document before its rows are written: the places of rows that could go elsewhere.

    So whoever syncs it next, after a crash or at the same time, knows every place where a row may be.
    """
    tidied: Callable[[D], Expression] = _nothing
    """Returns fields to set once the rows are there, if the document has not changed: places to be remembered still."""
    goes_first: bool = False
    """Whether it is copied before the others: buyers look for these rows right after a change."""

    rows: Rows[D] | None = None
    """Returns each row of this version with its table, to be compared with what is there. None: cannot be compared."""
    lookups: Lookups[D] | None = None
    """Returns for each document the reads that find its rows, and any it should not have. None: each row by its key."""
    walked: tuple[Table, ...] = ()
    """Tables whose every row is looked at, for rows that no document makes."""
    id_column: str = ""
    """The column in which the walked tables hold the document's id."""
    unread: tuple[str, ...] = ()
    """Fields of the documents that no row is made of, and that are not read to copy them."""
    not_rebuilt: Callable[[], str] = _no_note
    """Says what the tables hold that no document makes any more, so that it cannot be rebuilt; empty: nothing."""

    @property
    def read(self) -> Expression | None:
        """The projection that leaves out what is not read."""
        return dict.fromkeys(self.unread, False) or None

    def address(self, document: Mapping[str, Any]) -> Expression:
        """The filter that finds the document on its shard."""
        return {field: document[field] for field in self.key}

    def key_of(self, document: Mapping[str, Any]) -> tuple[str, ...]:
        """The values of the key's fields, in their order: what `find` takes."""
        return tuple(document[field] for field in self.key)

    def among(self, keys: Sequence[tuple[str, ...]]) -> Expression:
        """The filter that finds the documents with these keys, on their shards."""
        columns = zip(*keys, strict=True)
        return {field: {"$in": sorted(set(values))} for field, values in zip(self.key, columns, strict=True)}

    def writes_to(self, table: Table, document: D) -> Iterable[Write]:
        """The writes of this version to one of the tables."""
        if self.writes_of_table:
            return self.writes_of_table(document, table)
        return (one for one in self.writes(document) if one.partition[0] == table.full_name)

    def find(self, keys: Sequence[tuple[str, ...]]) -> list[D]:
        """The documents with these keys, as committed on the primary.

        A document that has moved to another shard since its key was taken is not found, and left to the sweep.
        """
        if not keys:
            return []
        with under(SYNC):
            return cast("list[D]", list(committed(self.collection).find(self.among(keys), self.read, hint=BY_ID)))


def declared() -> Iterator[Synced]:
    """The SYNCED of every installed app that has a cassandra/sync.py."""
    for app in apps.get_app_configs():
        if app.module is None or not module_has_submodule(app.module, "cassandra"):
            continue
        if module_has_submodule(import_module(f"{app.name}.cassandra"), "sync"):
            yield import_module(f"{app.name}.cassandra.sync").SYNCED


def in_turn() -> list[Synced]:
    """All declarations, in the order in which their documents are copied."""
    return sorted(declared(), key=lambda synced: not synced.goes_first)


def declared_as(collection: str) -> Synced:
    """The declaration for this collection."""
    return next(synced for synced in declared() if synced.collection == collection)
