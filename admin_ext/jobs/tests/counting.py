"""A kind of job for the tests: it counts in a collection, a piece at a time, and does what its parameters say."""

from admin_ext.jobs.documents import JobDocument
from admin_ext.jobs.errors import WrongState
from admin_ext.jobs.kinds import JobKind, Line, Piece, Submission
from gateway.audit.trail import Actor
from gateway.domain.texts import Text
from gateway.mongo.client import database, orm_connection

OLGA = Actor("1", "olga@mobile-world.example")
COUNTED = "job_test_counted"
TITLE = Text("Счёт", "Counting")


def count(job: JobDocument) -> Piece:
    """Count the next ones: each is a document, and one that is counted twice would be two."""
    begin, last = job["cursor"] or 0, job["parameters"]["last"]
    if begin >= job["parameters"].get("refuses_at", last + 1):
        raise WrongState
    if begin >= job["parameters"].get("breaks_at", last + 1):
        raise ZeroDivisionError
    end = min(begin + job["pace"], last)
    numbers = [{"number": number, "job": job["_id"]} for number in range(begin, end)]
    database()[COUNTED].insert_many(numbers, session=orm_connection().session)
    line = Line(Text("Сосчитано до {end}", "Counted up to {end}"), {"end": end})
    return Piece(end if end < last else None, len(numbers), {"counted": len(numbers)}, [line])


def uncounting(job: JobDocument) -> Submission:
    return Submission("counting", Text("Обратный счёт", "Counting back"), {"last": 1}, undoes=job["_id"])


COUNTING = JobKind(code="counting", title=TITLE, right="catalog.change_product", work=count, pace=10, undo=uncounting)
KINDS = {"counting": COUNTING}


def counting(last: int, *, scope: tuple[str, ...] = (), **parameters: int) -> Submission:
    return Submission("counting", TITLE, {"last": last, **parameters}, scope=scope, total=last)
