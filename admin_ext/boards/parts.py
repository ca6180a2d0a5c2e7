"""What a board is made of: figures with the lists behind them, charts, tables, and what must be said about them."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from typing import NamedTuple

from admin_ext.jobs.pages.words import number_text
from catalog.exchange.sheets.rows import Cell
from gateway.domain.texts import Language
from gateway.staff.language import staff_language
from gateway.staff.money import money_text

NOTHING = "—"
TENTH = Decimal("0.1")


class Value(NamedTuple):
    """What stands in one place of a table."""

    shown: str
    exact: Cell
    """What a spreadsheet gets."""
    url: str = ""
    """The list behind it."""


class Column(NamedTuple):
    title: str
    is_number: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    code: str
    """Names it in the address of its CSV."""
    title: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[Value]]
    total: Sequence[Value] = ()
    remark: str = ""
    empty: str = ""
    """Said instead of rows."""


class Tile(NamedTuple):
    """A figure that is read first."""

    title: str
    value: str
    note: str = ""
    url: str = ""


class Key(NamedTuple):
    """Says which line of a chart is which."""

    title: str
    look: str


class Chart(NamedTuple):
    title: str
    kind: str
    """A template of Unfold's: `bar` or `line`."""
    data: str
    described: str
    """For those who do not see it."""
    keys: Sequence[Key] = ()


class Link(NamedTuple):
    title: str
    url: str
    is_chosen: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """A board, ready to be drawn."""

    as_of: str = ""
    warnings: Sequence[str] = ()
    nothing: str = ""
    """What to do when there are no figures yet; then there is no more than this."""
    tiles: Sequence[Tile] = ()
    charts: Sequence[Chart] = ()
    tables: Sequence[Table] = ()


def text(shown: str, url: str = "") -> Value:
    return Value(shown, shown, url)


def number(exact: int, url: str = "") -> Value:
    return Value(number_text(exact), exact, url)


def money(exact: Decimal, url: str = "") -> Value:
    return Value(money_text(exact), exact, url)


def share(part: int, whole: int) -> Value:
    """A part in per cent, with one digit; nothing of nothing."""
    if not whole:
        return Value(NOTHING, None)
    percent = _rounded(Decimal(100 * part) / whole)
    return Value(_written(percent, staff_language()), percent)


def growth(before: Decimal, now: Decimal) -> Value:
    """By how many per cent it has grown or shrunk; nothing where there was nothing."""
    if not before:
        return Value(NOTHING, None)
    percent = _rounded(100 * (now - before) / before)
    sign = "+" if percent > 0 else "−" if percent < 0 else ""
    return Value(f"{sign}{_written(abs(percent), staff_language())}", percent)


def in_brackets(value: Value) -> str:
    """The value as the end of a sentence; nothing where there is none."""
    return f" ({value.shown})" if value.exact is not None else ""


def _rounded(percent: Decimal) -> Decimal:
    return percent.quantize(TENTH, ROUND_HALF_UP)


def _written(percent: Decimal, language: Language) -> str:
    """With a space that does not part the sign from its number."""
    written = f"{percent}" if language == "en" else f"{percent}".replace(".", ",")
    return f"{written}\u00a0%"
