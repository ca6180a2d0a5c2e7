"""The rows of a file that were not taken, as such a file again: with the reasons, to be corrected and loaded."""

from collections.abc import Iterator
from itertools import islice

from admin_ext.sheets.documents import ImportDocument, RefusedRow
from admin_ext.sheets.pages.words import column_of
from admin_ext.sheets.parts import refused_rows
from catalog.exchange.cells import harmless
from catalog.exchange.columns import REASON_COLUMN, is_reason
from catalog.exchange.sheets.output import Target, add, begin, end
from catalog.exchange.sheets.rows import Cell
from gateway.domain.texts import Language

BATCH = 500


def refused_file(sheet: ImportDocument, target: Target) -> Iterator[bytes]:
    """The file, a block at a time. Loaded as it is, it is refused for the same reasons."""
    # A file that was corrected once has a column of reasons already.
    kept = [index for index, name in enumerate(sheet["header"]) if not is_reason(name)]
    labels = {field: column_of(sheet, field) for field in sheet["fields"] if field}
    part, state = begin(target)
    header = [*(harmless(sheet["header"][index]) for index in kept), REASON_COLUMN.in_language(target.language)]
    first, state = add(target, [header], state)
    yield part + first
    rows = refused_rows(sheet["_id"])
    while some := list(islice(rows, BATCH)):
        lines = [_line(each.row, kept, len(sheet["header"]), labels, target.language) for each in some]
        part, state = add(target, lines, state)
        yield part
    yield end(target, state)


def reasons_of(row: RefusedRow, labels: dict[str, str], language: Language) -> list[str]:
    """Why the row was not taken: «Цена: укажите сумму цифрами»."""
    return [
        f"{label}: {reason[language]}" if (label := labels.get(reason["field"], reason["field"])) else reason[language]
        for reason in row["reasons"]
    ]


def _line(row: RefusedRow, kept: list[int], width: int, labels: dict[str, str], language: Language) -> list[Cell]:
    cells = row["cells"]
    own = [harmless(cells[index]) if index < len(cells) else "" for index in kept]
    # More cells than columns is a reason itself: what stands there is not lost, and is refused again.
    return [*own, " ".join(reasons_of(row, labels, language)), *map(harmless, cells[width:])]
