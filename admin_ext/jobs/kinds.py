"""What a kind of job declares. Kinds are listed in admin_ext/job_kinds.py."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from admin_ext.jobs.documents import JobDocument
from gateway.audit.trail import Source
from gateway.domain.texts import Text


class Line(NamedTuple):
    """A line of the job's log."""

    text: Text
    values: Mapping[str, object] = {}
    level: Literal["info", "warning", "error"] = "info"


class Piece(NamedTuple):
    """What one piece of the work did."""

    cursor: Any
    """Where the next piece begins; None: this was the last."""
    done: int = 0
    """How many things it did, towards the total."""
    counts: Mapping[str, int] = {}
    """What became of them, by the names of `JobKind.counts`."""
    log: Sequence[Line] = ()
    result: Mapping[str, Any] = {}
    """Written into the job's result, over what earlier pieces wrote there."""
    total: int | None = None
    """How many things there are in all, where only the work could tell."""


class Submission(NamedTuple):
    """A job that somebody wants."""

    kind: str
    title: Text
    parameters: Mapping[str, Any]
    scope: tuple[str, ...] = ()
    """What it changes: `category:<slug>` of each category, or `catalog`; jobs that share something take turns."""
    total: int | None = None
    undoes: str = ""
    source: Source = Source.ADMIN


@dataclass(frozen=True, slots=True, kw_only=True)
class JobKind:
    code: str
    title: Text
    right: str
    """Whoever has it may submit, pause and cancel such jobs."""
    work: Callable[[JobDocument], Piece]
    """Does the next piece, of about `job["pace"]` things. Called again and again, until its cursor is None.

    It runs in one transaction with the job's progress: however often it is begun, each piece happens once. It may be
    run again after a conflict, so it changes nothing but the database, and takes a second or two.
    """
    in_transaction: bool = True
    """False for work that changes nothing in the database, or that does no harm when a piece is done twice."""
    pace: int = 100
    """How many things a piece does; fewer while it conflicts with others."""
    counts: Mapping[str, Text] = field(default_factory=dict)
    undo: Callable[[JobDocument], Submission] | None = None
    """The job that takes it back; None: that cannot be done."""
    words: Callable[[JobDocument], Sequence[tuple[Text, str]]] | None = None
    """The job's parameters as its page shows them: labels and texts, in the language of the page; None: none."""
