"""A job is run piece by piece. A piece and the job's progress are one transaction: whatever dies, it happened once."""

import time
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, NamedTuple

import structlog
from pymongo import ReturnDocument
from pymongo.errors import PyMongoError

from admin_ext.jobs.documents import JobDocument
from admin_ext.jobs.kinds import JobKind, Line, Piece
from admin_ext.jobs.queue import jobs, said_in_both
from admin_ext.jobs.turns import NOW, renewed, take
from gateway.domain.errors import DomainError
from gateway.domain.texts import Text
from gateway.domain.uuid7 import uuid7
from gateway.logs.request_ids import current_request_id
from gateway.mongo.client import Expression, orm_connection
from gateway.mongo.transactions import in_transaction

log = structlog.get_logger(__name__)

# A worker gives the job back after so long, so that other tasks get their turn and a restart waits for nothing.
SLICE_SECONDS = 15.0
# Begun so often without getting on, a job is at fault itself: it may be what kills its workers.
MAX_TRIES = 8
# Enough to read; the whole of what was changed is in the audit.
MAX_LOG = 500

FAULT = Text(
    "Внутренняя ошибка, попытка {tries} из {limit}. Номер для поддержки: {id}.",
    "Internal error, try {tries} of {limit}. Reference for support: {id}.",
)
GIVEN_UP = Text(
    "Задание не продвинулось с {limit} попыток и остановлено.",
    "The job did not get on in {limit} tries and is stopped.",
)


class Stopped(Exception):
    """The job was paused, cancelled or taken over: what the piece did is taken back."""


class Turn(NamedTuple):
    job: JobDocument
    holder: str


def run(job_id: str, kinds: Mapping[str, JobKind], *, seconds: float = SLICE_SECONDS) -> bool:
    """Run the job for about so long; returns whether there is more to do, and it is this worker's to send it on."""
    holder = str(uuid7())
    job = take(job_id, holder)
    if job is None:
        return False
    turn = Turn(job, holder)
    if job["tries"] > MAX_TRIES:
        _end(turn, "failed", Line(GIVEN_UP, {"limit": MAX_TRIES}, "error"))
        return False
    until = time.monotonic() + seconds
    try:
        while turn.job["state"] == "running":
            turn = _run_piece(turn, kinds[job["kind"]])
            if time.monotonic() >= until:
                return _give_back(turn)
    except Stopped:
        pass
    except DomainError as refusal:
        for reason in refusal:
            _end(turn, "failed", Line(reason.text, reason.values, "error"))
    except PyMongoError as error:
        # Away, or in each other's way: no fault of the job. A smaller piece meets fewer.
        log.warning("job.interrupted", job=job_id, error=type(error).__name__)
        _put_off(turn, {"pace": max(1, turn.job["pace"] // 4)})
    except Exception:
        log.exception("job.fault", job=job_id, kind=job["kind"])
        line = Line(FAULT, {"tries": job["tries"], "limit": MAX_TRIES, "id": current_request_id() or job_id}, "error")
        _put_off(turn, _logged([line]))
    return False


def _run_piece(turn: Turn, kind: JobKind) -> Turn:
    def advance() -> JobDocument:
        piece = kind.work(turn.job)
        after = _update(turn, _progress(turn, kind, piece))
        if after is None:
            raise Stopped
        return after

    return Turn(in_transaction(advance) if kind.in_transaction else advance(), turn.holder)


def _progress(turn: Turn, kind: JobKind, piece: Piece) -> Expression:
    is_last = piece.cursor is None
    return {
        "cursor": {"$literal": piece.cursor},
        "done": {"$add": ["$done", piece.done]},
        **{f"counts.{name}": _sum(f"$counts.{name}", number) for name, number in piece.counts.items()},
        **{f"result.{name}": {"$literal": value} for name, value in piece.result.items()},
        **({"total": piece.total} if piece.total is not None else {}),
        **_logged(piece.log),
        "pace": min(kind.pace, turn.job["pace"] * 2),
        "tries": 0,
        "lease": "$$REMOVE" if is_last else renewed(turn.holder),
        **({"state": "done", "finished_at": NOW} if is_last else {}),
    }


def _give_back(turn: Turn) -> bool:
    """Free the job for whoever comes next; True when it is not finished."""
    if turn.job["state"] != "running":
        return False
    _update(turn, {"lease": "$$REMOVE"})
    return True


def _put_off(turn: Turn, also: Expression) -> None:
    """Let the job be tried again in a while: twice as long each time."""
    pause = {"$multiply": [1000, {"$pow": [2, "$tries"]}]}
    _update(turn, {"lease": {"holder": "", "until": {"$add": [NOW, pause]}}, **also})


def _end(turn: Turn, state: str, line: Line) -> None:
    _update(turn, {"state": state, "finished_at": NOW, "lease": "$$REMOVE", **_logged([line])})


def _logged(lines: Any) -> Expression:
    if not lines:
        return {}
    at = datetime.now(UTC)
    entries = [{"at": at, "level": line.level, **said_in_both(line.text, **line.values)} for line in lines]
    return {"log": {"$slice": [{"$concatArrays": ["$log", {"$literal": entries}]}, -MAX_LOG]}}


def _sum(field: str, number: int) -> Expression:
    return {"$add": [{"$ifNull": [field, 0]}, number]}


def _update(turn: Turn, fields: Expression) -> JobDocument | None:
    return jobs().find_one_and_update(
        {"_id": turn.job["_id"], "lease.holder": turn.holder, "state": "running"},
        [{"$set": fields}],
        return_document=ReturnDocument.AFTER,
        session=orm_connection().session,
    )
