"""Jobs as they stand in MongoDB."""

from datetime import datetime
from typing import Any, Literal, NotRequired, TypedDict

from bson import ObjectId

State = Literal["waiting", "running", "paused", "cancelled", "done", "failed"]
UNFINISHED: tuple[State, ...] = ("waiting", "running", "paused")
FINISHED: tuple[State, ...] = ("cancelled", "done", "failed")


class Said(TypedDict):
    """A text in both languages: who reads the job is not known when it is written."""

    ru: str
    en: str


class LogEntry(Said):
    at: datetime
    level: Literal["info", "warning", "error"]


class Owner(TypedDict):
    """Whoever wanted the job, as the audit names them."""

    id: str
    name: str
    source: str


class Lease(TypedDict):
    """Whoever runs the job now, and until when nobody else may."""

    holder: str
    until: datetime


class JobDocument(TypedDict):
    _id: str
    number: int
    kind: str
    title: Said
    parameters: dict[str, Any]
    scope: list[str]
    """What it changes: `category:smartphones`, or `catalog` for all products. Empty: nothing."""
    state: State
    total: int | None
    done: int
    counts: dict[str, int]
    cursor: Any
    """Where the next piece begins, in the words of its kind; None before the first."""
    pace: int
    """How many things the next piece should do."""
    tries: int
    """How often it was begun since it last got on."""
    log: list[LogEntry]
    result: dict[str, Any]
    actor: Owner
    undoes: str
    """The id of the job that it takes back; empty: none."""
    undone_by: str
    waits_for: int
    """The number of the job that it waits for; 0: none."""
    noticed: bool
    """Whether its owner has been told that it is finished."""
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    lease: NotRequired[Lease]


class ResultLink(Said):
    """A button on the page of a job: what it made."""

    url: str


class RemarkDocument(Said):
    """What a job left alone of one product, see admin_ext/jobs/remarks.py; the text is the reason of a refusal."""

    _id: ObjectId
    job: str
    product: str
    field: str
    """The value that somebody has changed since; empty: the whole product was refused."""
    now: Any
    wished: Any
    """What the value would have become."""


class TurnDocument(TypedDict):
    _id: str
    taken: int
