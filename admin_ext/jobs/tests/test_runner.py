"""Jobs: every piece once, whoever dies, pauses or comes between."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

import pytest
from pymongo.database import Database

from admin_ext.jobs import runner
from admin_ext.jobs.controls import cancel, pause, resume, retry, undo
from admin_ext.jobs.documents import JobDocument
from admin_ext.jobs.errors import NotUndoable, WrongState
from admin_ext.jobs.queue import actor_of, job_of, submit
from admin_ext.jobs.tests.counting import COUNTED, KINDS, OLGA, counting
from admin_ext.jobs.turns import resend_waiting
from gateway.mongo.client import Document
from gateway.tests.races import at_once, just_before, paused_process

pytestmark = pytest.mark.usefixtures("database")

run = partial(runner.run, kinds=KINDS)


@pytest.fixture
def counted(database: Database[Document]) -> Callable[[], list[int]]:
    database[COUNTED].delete_many({})
    return lambda: sorted(each["number"] for each in database[COUNTED].find())


def submitted(last: int, **given: Any) -> str:
    return submit(counting(last, **given), actor=OLGA, pace=10)["_id"]


def told(job: JobDocument) -> tuple[str, int, dict[str, int]]:
    return job["state"], job["done"], job["counts"]


def free_the_lease(database: Database[Document], job_id: str) -> None:
    """As if the time of whoever holds it were over."""
    past = datetime.now(UTC) - timedelta(seconds=1)
    database["jobs"].update_one({"_id": job_id}, {"$set": {"lease.until": past}})


def test_job_does_all_pieces_and_tells_what_it_did(counted: Callable[[], list[int]]) -> None:
    job_id = submitted(25)

    assert run(job_id) is False

    job = job_of(job_id)
    assert told(job) == ("done", 25, {"counted": 25})
    assert [line["ru"] for line in job["log"]] == ["Сосчитано до 10", "Сосчитано до 20", "Сосчитано до 25"]
    assert counted() == list(range(25))
    assert (job["number"], job["title"]) == (1, {"ru": "Счёт", "en": "Counting"})
    assert actor_of(job)._replace(source=OLGA.source) == OLGA._replace(step=job_id)


def test_job_is_given_back_after_a_while_and_goes_on(counted: Callable[[], list[int]]) -> None:
    job_id = submitted(25)

    assert [run(job_id, seconds=0) for _ in range(3)] == [True, True, False]

    assert told(job_of(job_id)) == ("done", 25, {"counted": 25})
    assert counted() == list(range(25))


def test_same_key_of_the_same_person_is_the_same_job() -> None:
    jobs = at_once(*(partial(submit, counting(5), actor=OLGA, key="form-1") for _ in range(5)))

    assert {job["_id"] for job in jobs} == {jobs[0]["_id"]}
    assert submit(counting(5), actor=OLGA, key="form-2")["number"] == 2


def test_jobs_submitted_at_once_have_numbers_of_their_own() -> None:
    jobs = at_once(*(partial(submit, counting(5), actor=OLGA) for _ in range(8)))

    assert sorted(job["number"] for job in jobs) == list(range(1, 9))


def test_of_many_workers_one_runs_the_job(counted: Callable[[], list[int]]) -> None:
    job_id = submitted(60)

    at_once(*(partial(run, job_id) for _ in range(6)))

    assert told(job_of(job_id)) == ("done", 60, {"counted": 60})
    assert counted() == list(range(60))


@pytest.mark.parametrize(
    ("command", "collection", "when"),
    [("insert", COUNTED, "answered"), ("findAndModify", "jobs", "answered"), ("commitTransaction", None, "sent")],
)
@pytest.mark.parametrize("number", [1, 2])
def test_killed_worker_has_done_a_piece_or_not(
    database: Database[Document],
    counted: Callable[[], list[int]],
    command: str,
    collection: str,
    when: Any,
    number: int,
) -> None:
    job_id = submitted(25)
    code = f"""
from admin_ext.jobs.runner import run
from admin_ext.jobs.tests.counting import KINDS
run({job_id!r}, KINDS)
"""
    with paused_process(database, code, command=command, collection=collection, number=number + 1, when=when) as worker:
        assert run(job_id) is False, "it is another's"
        worker.kill()
    free_the_lease(database, job_id)

    assert run(job_id) is False

    assert told(job_of(job_id)) == ("done", 25, {"counted": 25})
    assert counted() == list(range(25))


def test_sweep_finds_the_job_of_a_dead_worker(database: Database[Document]) -> None:
    job_id = submitted(25)
    assert run(job_id, seconds=0)
    assert resend_waiting() == 1
    database["jobs"].update_one(
        {"_id": job_id}, {"$set": {"lease": {"holder": "x", "until": datetime.now(UTC) + timedelta(seconds=60)}}}
    )

    assert resend_waiting() == 0


def test_paused_job_takes_back_the_piece_that_was_under_way_and_goes_on_later(
    counted: Callable[[], list[int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    job_id = submitted(25)
    assert run(job_id, seconds=0)
    just_before(monkeypatch, runner, "_progress", lambda: pause(job_id))

    assert run(job_id) is False

    assert told(job_of(job_id)) == ("paused", 10, {"counted": 10})
    assert counted() == list(range(10))
    assert run(job_id) is False
    resume(job_id)
    run(job_id)
    assert counted() == list(range(25))


def test_cancelled_job_keeps_what_it_did_and_does_no_more(counted: Callable[[], list[int]]) -> None:
    job_id = submitted(25)
    run(job_id, seconds=0)

    cancel(job_id)

    assert run(job_id) is False
    assert told(job_of(job_id)) == ("cancelled", 10, {"counted": 10})
    assert counted() == list(range(10))
    for control in (pause, resume, cancel, retry):
        with pytest.raises(WrongState):
            control(job_id)


def test_refusal_of_the_work_ends_the_job_and_says_why(counted: Callable[[], list[int]]) -> None:
    job_id = submitted(25, refuses_at=10)

    run(job_id)

    job = job_of(job_id)
    assert told(job) == ("failed", 10, {"counted": 10})
    assert job["log"][-1]["level"] == "error"
    assert job["log"][-1]["en"] == "The job is in another state by now: reload."
    assert counted() == list(range(10))


def test_fault_is_tried_again_later_and_given_up_in_the_end_and_can_be_tried_anew(
    database: Database[Document], counted: Callable[[], list[int]]
) -> None:
    job_id = submitted(25, breaks_at=10)
    run(job_id)
    job = job_of(job_id)
    assert told(job) == ("running", 10, {"counted": 10})
    assert job["lease"]["until"].replace(tzinfo=UTC) > datetime.now(UTC)
    assert run(job_id) is False, "it rests"

    for _ in range(runner.MAX_TRIES + 1):
        free_the_lease(database, job_id)
        run(job_id)

    assert told(job_of(job_id)) == ("failed", 10, {"counted": 10})
    database["jobs"].update_one({"_id": job_id}, {"$unset": {"parameters.breaks_at": ""}})
    retry(job_id)
    run(job_id)
    assert told(job_of(job_id)) == ("done", 25, {"counted": 25})
    assert counted() == list(range(25))


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (("category:audio",), ("category:audio", "category:video")),
        (("catalog",), ("category:audio",)),
        (("category:audio",), ("catalog",)),
    ],
)
def test_job_waits_for_an_earlier_one_over_the_same_products(first: tuple[str, ...], second: tuple[str, ...]) -> None:
    earlier, later = submitted(25, scope=first), submitted(25, scope=second)

    assert run(later) is False

    assert (job_of(later)["state"], job_of(later)["waits_for"]) == ("waiting", 1)
    run(earlier)
    run(later)
    assert (job_of(later)["state"], job_of(later)["waits_for"]) == ("done", 0)


def test_jobs_over_other_products_run_beside_each_other() -> None:
    paused, other, nothing = (
        submitted(25, scope=("category:audio",)),
        submitted(5, scope=("category:video",)),
        submitted(5),
    )
    pause(paused)

    run(other)
    run(nothing)

    assert [job_of(each)["state"] for each in (paused, other, nothing)] == ["paused", "done", "done"]


def test_earlier_job_that_is_tried_again_waits_for_the_one_that_has_begun() -> None:
    earlier = submitted(25, scope=("catalog",), refuses_at=10)
    later = submitted(25, scope=("catalog",))
    run(earlier)
    assert run(later, seconds=0)

    retry(earlier)

    assert run(earlier) is False
    assert (job_of(earlier)["state"], job_of(earlier)["waits_for"]) == ("waiting", 2)


def test_job_is_undone_once_whoever_asks() -> None:
    job_id = submitted(25)
    with pytest.raises(NotUndoable):
        undo(job_id, KINDS, actor=OLGA)
    run(job_id)

    jobs = at_once(*(partial(undo, job_id, KINDS, actor=OLGA._replace(id=str(number))) for number in range(4)))

    assert {job["_id"] for job in jobs} == {job_of(job_id)["undone_by"]}
    assert (jobs[0]["undoes"], jobs[0]["number"]) == (job_id, 2)
