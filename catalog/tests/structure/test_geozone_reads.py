"""The first slice: geozones through a read policy and both runners."""

import asyncio

import pytest
from pymongo.database import Database

from catalog.demo.geozones import GEOZONES, load_geozones
from catalog.models import Geozone
from catalog.structure.geozones import GeozoneName, all_geozones
from gateway.mongo.client import Document, close_async_client
from gateway.mongo.commands import COMMANDS, Sent
from gateway.mongo.reads import run, run_async


async def read_async() -> list[GeozoneName]:
    try:
        return await run_async(all_geozones())
    finally:
        await close_async_client()


@pytest.fixture
def two_geozones(database: Database[Document]) -> list[GeozoneName]:
    Geozone.objects.create(code="spb", name="Санкт-Петербург", position=2)
    Geozone.objects.create(code="msk", name="Москва", position=1)
    return [GeozoneName("msk", "Москва"), GeozoneName("spb", "Санкт-Петербург")]


def test_both_runners_read_in_the_given_order(two_geozones: list[GeozoneName]) -> None:
    assert run(all_geozones()) == two_geozones
    assert asyncio.run(read_async()) == two_geozones


def test_read_is_one_command_to_one_shard_under_the_catalog_policy(two_geozones: list[GeozoneName]) -> None:
    with COMMANDS.counted() as sent:
        run(all_geozones())

    assert sent == {Sent("find", "geozones", "catalog.list", 1): 1}


def test_demo_adds_what_is_missing_and_keeps_what_was_edited(database: Database[Document]) -> None:
    Geozone.objects.create(code="msk", name="Москва и область", position=7)

    assert load_geozones() == len(GEOZONES) - 1
    assert load_geozones() == 0
    assert Geozone.objects.get(code="msk").name == "Москва и область"
