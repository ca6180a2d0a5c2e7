"""Files, imports and their rows as they stand in MongoDB."""

from datetime import datetime
from typing import Any, Literal, NotRequired, TypedDict


class FileDocument(TypedDict):
    _id: str
    name: str
    size: int
    """Bytes so far: an export grows."""
    chunks: int
    content_type: str
    owner: str
    """Id of the account for whom it was made."""
    created_at: datetime
    expires_at: datetime


class ChunkDocument(TypedDict):
    _id: str
    file: str
    number: int
    data: bytes
    expires_at: datetime


class ImportDocument(TypedDict):
    _id: str
    name: str
    file: str
    format: Literal["csv", "xlsx"]
    encoding: str
    separator: str
    header: list[str]
    fields: list[str | None]
    """What each column holds, see catalog/exchange/columns.py."""
    unknown: list[str]
    may_change_stock: bool
    owner: str
    owner_name: str
    check_job: str
    load_job: NotRequired[str]
    created_at: datetime
    expires_at: datetime


class ReasonDocument(TypedDict):
    """Why a row, or a value of it, was not taken."""

    field: str
    ru: str
    en: str


class RefusedRow(TypedDict):
    number: int
    id: str
    cells: list[str]
    reasons: list[ReasonDocument]


class PlannedRow(TypedDict):
    """A row that makes or changes a product."""

    number: int
    id: str
    kind: Literal["created", "changed"]
    cells: list[str]
    changes: list[tuple[str, Any, Any]]
    """Value, old, new."""
    doubts: list[str]


class PartDocument(TypedDict):
    _id: str
    sheet: str
    number: int
    ids: list[str]
    """Of all products that its rows name."""
    numbers: list[int]
    """Of their rows, in the same order."""
    rows: list[PlannedRow]
    created: int
    changed: int
    """How many of the rows make a product, or change one."""
    refused: int
    """How many rows stand in `bad` and `failed`."""
    bad: list[RefusedRow]
    failed: list[RefusedRow]
    """Rows that were good when the file was checked, and were not taken when it was loaded."""
    categories: list[str]
    """Those that products are in or go to."""
    expires_at: datetime
