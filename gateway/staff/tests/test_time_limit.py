"""No page of the admin lets MongoDB work longer than ADMIN_MAX_SECONDS, and none can forget it."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest
from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.test import AsyncClient, Client
from django.urls import path, reverse
from django_mongodb_backend.queryset import MongoQuerySet
from pymongo.collection import Collection
from pymongo.database import Database
from pymongo.errors import ExecutionTimeout
from pymongo.monitoring import CommandStartedEvent
from pymongo.read_preferences import Secondary
from pytest_django import Settings

from catalog.models import Geozone
from gateway import deadline
from gateway.accounts.tests.demo import make_demo_accounts
from gateway.mongo.client import Document, client, orm_connection
from gateway.mongo.client import database as opened_database
from gateway.mongo.commands import COMMANDS
from gateway.staff.tests.browser import signed_in
from gateway.tests.eventually import eventually
from gateway.tests.samples.models import Gadget
from gateway.urls import urlpatterns as gateway_urls

pytestmark = pytest.mark.urls(__name__)

READS = {"find", "aggregate", "count", "distinct"}
WRITES = {"insert", "update", "delete", "findAndModify"}
SCRIPT = "sleep(60000)"
SLEEP = {"$where": f"{SCRIPT} || true"}
ASLEEP = {"$function": {"body": f"function() {{ {SCRIPT} }}", "args": [], "lang": "js"}}
SLOW = "sample_gadgets"
SEEN = '{"name": "Москва", "position": 1}'


def read_raw(request: HttpRequest) -> HttpResponse:
    return HttpResponse(str(opened_database()[SLOW].find_one(SLEEP)))


def read_by_orm(request: HttpRequest) -> HttpResponse:
    return HttpResponse(str(list(MongoQuerySet(Gadget).raw_aggregate([{"$addFields": {"slept": ASLEEP}}]))))


def read_then_write(request: HttpRequest) -> HttpResponse:
    opened_database()[SLOW].find_one(SLEEP)
    opened_database()[SLOW].delete_many({})
    return HttpResponse("deleted")


urlpatterns = [
    *gateway_urls,
    path("raw", read_raw),
    path("orm", read_by_orm),
    path("change", read_then_write),
]


@pytest.fixture
def sent(database: Database[Document], monkeypatch: pytest.MonkeyPatch) -> list[CommandStartedEvent]:
    """Every command sent from now on."""
    events: list[CommandStartedEvent] = []
    counting = COMMANDS.started

    def started(event: CommandStartedEvent) -> None:
        events.append(event)
        counting(event)

    monkeypatch.setattr(COMMANDS, "started", started)
    return events


@pytest.fixture
def staff(database: Database[Document], sent: list[CommandStartedEvent]) -> Client:
    make_demo_accounts()
    Geozone.objects.create(code="msk", name="Москва", position=1)
    found = signed_in("staff")
    sent.clear()
    return found


def limits(sent: list[CommandStartedEvent], names: set[str]) -> list[int | None]:
    """The limits of the pages' own commands: the routing table is read again by a thread of its own, now and then."""
    own = [event for event in sent if event.database_name != "config"]
    return [event.command.get("maxTimeMS") for event in own if event.command_name in names]


def pages_of_every_model() -> list[str]:
    return [
        reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_{page}")
        for model in admin.site._registry
        for page in ("changelist", "add")
    ]


def test_every_read_of_every_list_and_form_is_limited(staff: Client, sent: list[CommandStartedEvent]) -> None:
    pages = pages_of_every_model()
    assert len(pages) >= 12

    for page in ["/admin/", *pages]:
        sent.clear()
        # What is asked for in the address must not bring the counts back.
        response = staff.get(page, {"_facets": "1", "q": "москва"})

        assert response.status_code in {200, 403}, page
        assert limits(sent, READS), page
        assert all(limit and 0 < limit <= 10_000 for limit in limits(sent, READS)), page
        listed = response.context.get("cl") if response.status_code == 200 else None
        assert not (listed and listed.add_facets), page


def test_facets_are_off_for_whatever_is_registered(staff: Client) -> None:
    class Plain(admin.ModelAdmin):
        show_facets = admin.ShowFacets.ALWAYS

    admin.site.register(Gadget, Plain)
    try:
        assert admin.site.get_model_admin(Gadget).show_facets is admin.ShowFacets.NEVER
    finally:
        admin.site.unregister(Gadget)


def test_reads_of_a_change_are_limited_and_its_writes_are_not(
    staff: Client, sent: list[CommandStartedEvent], database: Database[Document]
) -> None:
    form = {"name": "Москва и область", "position": "5", "seen": SEEN}

    saved = staff.post("/admin/catalog/geozone/msk/change/", form)

    assert saved.status_code == 302
    # Those in a transaction have the transaction's own time, which ends it as a whole.
    assert set(limits([event for event in sent if "txnNumber" not in event.command], READS)) == {10_000}
    assert limits(sent, WRITES)
    assert all(limit is None or limit > 10_000 for limit in limits(sent, WRITES))
    assert database["geozones"].find_one() == {"_id": "msk", "name": "Москва и область", "position": 5}


@pytest.fixture
def one_document(database: Database[Document], settings: Settings) -> Iterator[None]:
    settings.ADMIN_MAX_SECONDS = 0.3
    database[SLOW].insert_one({"_id": "G-1", "category": "audio", "name": "x", "price": 1})
    yield
    database[SLOW].delete_many({})


def at_work() -> list[Document]:
    """Slow reads that a server of the cluster is still busy with."""
    everything: list[Document] = [
        {"$currentOp": {"allUsers": True}},
        {"$match": {"command.$db": opened_database().name}},
    ]
    return [found for found in client()["admin"].aggregate(everything) if SCRIPT in str(found["command"])]


def come_to_rest() -> None:
    """Long before the minute that the reads would take: a shard learns a little later than mongos that one ended."""
    eventually(at_work, [])


def test_read_that_runs_is_seen_at_work(one_document: None) -> None:
    def read() -> None:
        with suppress(ExecutionTimeout):
            opened_database()[SLOW].find_one(SLEEP, max_time_ms=5_000)

    reading = threading.Thread(target=read)
    reading.start()

    eventually(lambda: at_work() != [], within=5)
    reading.join()
    come_to_rest()


@pytest.mark.parametrize("page", ["/raw", "/orm"])
def test_server_stops_a_read_at_the_limit_and_the_person_is_told(one_document: None, page: str) -> None:
    response = Client().get(page)

    assert response.status_code == 503
    assert "Сузьте поиск или фильтр" in response.content.decode()
    come_to_rest()


def test_the_same_when_django_is_served_asynchronously(one_document: None) -> None:
    async def ask() -> HttpResponse:
        return await AsyncClient().get("/raw")  # type: ignore[return-value]

    response = asyncio.run(ask())

    assert response.status_code == 503
    assert "Сузьте поиск или фильтр" in response.content.decode()
    come_to_rest()


def test_change_whose_read_is_stopped_has_changed_nothing(one_document: None, database: Database[Document]) -> None:
    response = Client().post("/change")

    assert response.status_code == 503
    assert "проверьте, что сохранилось" in response.content.decode()
    assert database[SLOW].count_documents({}) == 1


EVERY_READ: dict[str, Any] = {
    "find": lambda some: list(some.find()),
    "find_one": lambda some: some.find_one({"_id": "G-1"}),
    "find_raw_batches": lambda some: list(some.find_raw_batches()),
    "aggregate": lambda some: list(some.aggregate([])),
    "aggregate_raw_batches": lambda some: list(some.aggregate_raw_batches([])),
    "count_documents": lambda some: some.count_documents({}),
    "estimated_document_count": lambda some: some.estimated_document_count(),
    "distinct": lambda some: some.distinct("name"),
    "with other options": lambda some: some.with_options(read_preference=Secondary()).find_one(),
    "of another database": lambda some: client().get_database("admin")["system.version"].find_one(),
    "of a whole database": lambda some: list(client()["admin"].aggregate([{"$currentOp": {}}])),
    "of the ORM's own": lambda some: orm_connection().get_collection(SLOW).find_one(),
}


@pytest.mark.parametrize("name", EVERY_READ)
def test_each_way_to_read_keeps_to_the_limit(one_document: None, sent: list[CommandStartedEvent], name: str) -> None:
    collection: Collection[Document] = opened_database()[SLOW]
    with deadline.reads_within(2.5):
        EVERY_READ[name](collection)
    EVERY_READ[name](collection)

    assert limits(sent, READS) == [2500, None]


def test_limit_of_a_read_itself_is_kept_when_it_is_shorter(one_document: None, sent: list[CommandStartedEvent]) -> None:
    with deadline.reads_within(2.5):
        list(opened_database()[SLOW].find(max_time_ms=100))
        with deadline.within(0.1):
            opened_database()[SLOW].count_documents({})

    own, of_the_deadline = limits(sent, READS)
    assert own == 100
    assert of_the_deadline is not None
    assert 0 < of_the_deadline <= 100
