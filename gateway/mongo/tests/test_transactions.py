"""The transaction helper: retried within a bound, exact under races, and harmless after a failure."""

import pytest
from django.db import DatabaseError, IntegrityError, connections
from django.db import transaction as django_transaction
from django_mongodb_backend import transaction
from pymongo.database import Database
from pymongo.errors import PyMongoError

from gateway.mongo.client import Document, orm_connection
from gateway.mongo.client import database as sync_database
from gateway.mongo.transactions import TryAgain, in_transaction
from gateway.tests.races import at_once
from gateway.tests.samples.models import Basket, Gadget

GADGETS = "sample_gadgets"


def kill_sessions(database: Database[Document]) -> None:
    """Ends every transaction in flight, as a failover would: their commits fail."""
    database.client.admin.command("killAllSessions", [])


def test_orm_and_pymongo_writes_on_two_shards_commit_together(database: Database[Document]) -> None:
    def work() -> str:
        Gadget.objects.create(id="G-1", category="audio", name="Наушники")
        orm_connection().database[GADGETS].insert_one(
            {"_id": "G-2", "category": "video", "name": "Проектор"}, session=orm_connection().session
        )
        return "done"

    assert in_transaction(work) == "done"
    assert database[GADGETS].count_documents({}) == 2


def test_error_rolls_everything_back_and_is_raised_as_it_was(database: Database[Document]) -> None:
    def work() -> None:
        Gadget.objects.create(id="G-1", category="audio", name="Наушники")
        raise LookupError("the caller's own")

    with pytest.raises(LookupError, match="the caller's own"):
        in_transaction(work)

    assert database[GADGETS].count_documents({}) == 0
    assert orm_connection().session is None


def test_orm_error_keeps_its_django_type(database: Database[Document]) -> None:
    Gadget.objects.create(id="G-1", category="audio", name="Наушники")

    with pytest.raises(IntegrityError):
        in_transaction(lambda: Gadget.objects.create(id="G-1", category="audio", name="Чужие"))


def test_work_is_run_again_when_its_transaction_was_killed(database: Database[Document]) -> None:
    attempts: list[int] = []

    def work() -> None:
        attempts.append(len(attempts))
        Gadget.objects.create(id="G-1", category="audio", name=f"Попытка {len(attempts)}")
        if len(attempts) == 1:
            kill_sessions(database)

    in_transaction(work)

    assert attempts == [0, 1]
    assert [document["name"] for document in database[GADGETS].find()] == ["Попытка 2"]


def test_callbacks_run_once_after_the_commit_however_often_the_work_ran(database: Database[Document]) -> None:
    seen: list[int] = []
    attempts: list[int] = []

    def work() -> None:
        attempts.append(1)
        Gadget.objects.create(id="G-1", category="audio", name="Наушники")
        transaction.on_commit(lambda: seen.append(database[GADGETS].count_documents({})))
        if len(attempts) == 1:
            kill_sessions(database)

    in_transaction(work)

    assert len(attempts) == 2
    assert seen == [1]


def test_transaction_works_inside_the_atomic_block_that_the_admin_puts_round_a_form(
    database: Database[Document],
) -> None:
    seen: list[int] = []

    def work() -> None:
        Gadget.objects.create(id="G-1", category="audio", name="Наушники")
        transaction.on_commit(lambda: seen.append(database[GADGETS].count_documents({})))

    with django_transaction.atomic():
        in_transaction(work)

    assert seen == [1]


def test_work_that_read_something_out_of_date_is_run_again(database: Database[Document]) -> None:
    attempts: list[int] = []

    def work() -> str:
        attempts.append(1)
        if len(attempts) < 3:
            raise TryAgain("moved meanwhile")
        return "done"

    assert in_transaction(work) == "done"
    assert len(attempts) == 3


def test_callbacks_of_a_failed_transaction_never_run(database: Database[Document]) -> None:
    seen: list[str] = []

    def work() -> None:
        transaction.on_commit(lambda: seen.append("ran"))
        raise LookupError

    with pytest.raises(LookupError):
        in_transaction(work)
    in_transaction(lambda: None)

    assert seen == []


def test_inner_transaction_joins_the_outer_one(database: Database[Document]) -> None:
    def outer() -> None:
        in_transaction(lambda: Gadget.objects.create(id="G-1", category="audio", name="Наушники"))
        raise LookupError

    with pytest.raises(LookupError):
        in_transaction(outer)

    assert database[GADGETS].count_documents({}) == 0


def test_retries_end_after_the_given_seconds(database: Database[Document]) -> None:
    def work() -> None:
        Gadget.objects.create(id="G-1", category="audio", name="Наушники")
        kill_sessions(database)

    with pytest.raises((PyMongoError, DatabaseError)):
        in_transaction(work, seconds=1.0)

    assert database[GADGETS].count_documents({}) == 0
    assert orm_connection().session is None


def test_failed_commit_does_not_poison_the_next_transaction(database: Database[Document]) -> None:
    """The backend's own atomic() too: it used to leave its session behind, and the next block ran outside of any."""
    with pytest.raises(PyMongoError), transaction.atomic():
        Gadget.objects.create(id="G-1", category="audio", name="Наушники")
        kill_sessions(database)

    with pytest.raises(LookupError), transaction.atomic():
        Gadget.objects.create(id="G-2", category="audio", name="Колонка")
        raise LookupError

    assert database[GADGETS].count_documents({}) == 0
    assert orm_connection().session is None


def test_racing_transactions_lose_no_update(database: Database[Document]) -> None:
    Gadget.objects.create(id="G-1", category="audio", name="0")
    Gadget.objects.create(id="G-2", category="video", name="0")

    def add_one() -> None:
        in_transaction(increment, seconds=60)
        connections.close_all()

    def increment() -> None:
        for key in ({"_id": "G-1", "category": "audio"}, {"_id": "G-2", "category": "video"}):
            session = orm_connection().session
            name = sync_database()[GADGETS].find_one(key, session=session)["name"]  # type: ignore[index]
            sync_database()[GADGETS].update_one(key, {"$set": {"name": str(int(name) + 1)}}, session=session)

    at_once(*[add_one] * 8, expected=())

    assert sorted((document["_id"], document["name"]) for document in database[GADGETS].find()) == [
        ("G-1", "8"),
        ("G-2", "8"),
    ]


def test_one_active_basket_per_owner_under_racing_inserts(database: Database[Document]) -> None:
    def insert() -> bool:
        try:
            Basket.objects.create(owner="u:1", status="active")
        except IntegrityError:
            return False
        return True

    made = at_once(*[insert] * 16)

    assert made.count(True) == 1
    assert database["sample_baskets"].count_documents({"owner": "u:1"}) == 1
