"""Whether Cassandra holds the rows that documents make: all of them, field by field, and no others.

Documents change while their rows are read, so a first look finds only suspects. What is wrong between two reads of a
document in one and the same version, with nothing owed, is wrong.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Literal, NamedTuple

from cassandra.util import Date

from gateway.cassandra.reads import read_many
from gateway.cassandra.statements import Row, Select
from gateway.cassandra.table import Table
from gateway.sync.declarations import D, Rows, Synced
from gateway.sync.documents import is_waiting

# A document that changes between every two looks at it is looked at again another night.
LOOKS = 5

DifferenceKind = Literal["missing", "different", "stale", "unmarked", "only_copied"]
Key = tuple[Any, ...]
Stale = tuple[tuple[Table, Row], ...]
"""Rows that should not be there, each by its table and its key."""


class RowDifference(NamedTuple):
    """One row that is not as its document has it."""

    table: str
    id: str
    """The document's `_id`."""
    kind: DifferenceKind
    """`stale`: a row that the document does not make. `unmarked`: the document is owed and does not say so.
    `only_copied`: MongoDB does not have the document."""
    columns: tuple[str, ...] = ()
    """The columns that differ, where the kind is `different`."""


@dataclass(frozen=True, slots=True)
class Differing(Generic[D]):
    """A document, as read, and what is wrong with its rows."""

    document: D
    differences: tuple[RowDifference, ...]
    stale: Stale = ()


def is_unmarked(synced: Synced[D], document: D) -> bool:
    """Whether rows are owed that no sweep will find: changed by hand, or by a release that knew no marks."""
    if is_waiting(document):
        return False
    return document["version"] > document.get("synced_version", 0) or bool(synced.placed(document))


def confirmed(synced: Synced[D], documents: Sequence[D]) -> list[Differing[D]]:
    """The documents whose rows differ, and not because they change or are being copied at this moment."""
    found: list[Differing[D]] = []
    suspects = [document for document in documents if not is_waiting(document)]
    for _ in range(LOOKS):
        differing = _look(synced, suspects)
        if not differing:
            break
        now = {after["_id"]: after for after in synced.find([synced.key_of(each.document) for each in differing])}
        suspects = []
        for each in differing:
            after = now.get(each.document["_id"])
            if after is None or is_waiting(after):
                continue
            if after["version"] == each.document["version"]:
                found.append(each)
            else:
                suspects.append(after)
    return found


def compare(synced: Synced[D], documents: Sequence[D], rows: Rows[D]) -> list[Differing[D]]:
    """The documents whose rows in Cassandra are not exactly those that `rows` makes of them, as of now.

    `rows` may make more than the sync writes.
    """
    expected = [list(rows(document)) for document in documents]
    asked = [_reads(*each) for each in zip(_lookups(synced, documents), expected, strict=True)]
    answers = iter(read_many(select for reads in asked for _, select in reads))
    differing = []
    for document, wanted, reads in zip(documents, expected, asked, strict=True):
        found = [(table, row) for table, _ in reads for row in next(answers)]
        if each := _differing(document, wanted, found):
            differing.append(each)
    return differing


def row_key(table: Table, row: Row) -> Key:
    """The primary key of the row with its table: equal for two versions of one row."""
    return (table.full_name, *(_plain(row[column]) for column in table.primary_key))


def _look(synced: Synced[D], documents: Sequence[D]) -> list[Differing[D]]:
    if synced.rows is None or not documents:
        return []
    owed = [document for document in documents if is_unmarked(synced, document)]
    ids = {document["_id"] for document in owed}
    unmarked = [Differing(each, (RowDifference(synced.collection, each["_id"], "unmarked"),)) for each in owed]
    return unmarked + compare(synced, [each for each in documents if each["_id"] not in ids], synced.rows)


def _lookups(synced: Synced[D], documents: Sequence[D]) -> Iterable[Iterable[tuple[Table, Select]]]:
    return synced.lookups(documents) if synced.lookups else [() for _ in documents]


def _reads(
    lookups: Iterable[tuple[Table, Select]], expected: Iterable[tuple[Table, Row]]
) -> list[tuple[Table, Select]]:
    """The lookups, and a read by key for each expected row of a table that the lookups leave out."""
    reads = list(lookups)
    covered = {table.full_name for table, _ in reads}
    return reads + [(table, table.by_key(row)) for table, row in expected if table.full_name not in covered]


def _differing(
    document: D, expected: Iterable[tuple[Table, Row]], found: Iterable[tuple[Table, Row]]
) -> Differing[D] | None:
    there = {row_key(table, row): (table, row) for table, row in found}
    differences = []
    for table, row in expected:
        _, actual = there.pop(row_key(table, row), (table, None))
        if actual is None:
            differences.append(RowDifference(table.name, document["_id"], "missing"))
        elif columns := tuple(_columns_that_differ(row, actual)):
            differences.append(RowDifference(table.name, document["_id"], "different", columns))
    differences += [RowDifference(table.name, document["_id"], "stale") for table, _ in there.values()]
    stale = tuple((table, {column: row[column] for column in table.primary_key}) for table, row in there.values())
    return Differing(document, tuple(differences), stale) if differences else None


def _columns_that_differ(expected: Row, actual: Row) -> Iterator[str]:
    for column, value in expected.items():
        if value != actual[column]:
            yield column


def _plain(value: Any) -> Any:
    """The value as ours hashes: the driver's dates equal ours, but do not hash alike."""
    return value.date() if isinstance(value, Date) else value
