"""The faults of the ORM backend that we cure."""

import re

from django.contrib.auth.models import Group
from pymongo.database import Database

from gateway.mongo.client import Document, orm_connection
from gateway.tests.samples.models import Gadget


def test_create_model_goes_on_where_a_dead_migration_stopped(database: Database[Document]) -> None:
    table = Group._meta.db_table
    through = Group.permissions.through._meta.db_table
    before = sorted(database[table].index_information())
    database[table].drop_index(next(name for name in before if name != "_id_"))
    database[through].drop()

    with orm_connection().schema_editor() as editor:
        editor.create_model(Group)

    assert sorted(database[table].index_information()) == before
    assert through in database.list_collection_names()


def test_ordered_page_reads_no_more_than_it_shows(database: Database[Document]) -> None:
    database["sample_gadgets"].insert_many(
        [{"_id": f"G-{number:03}", "category": "audio", "name": "x", "price": number} for number in range(200)]
    )
    page = Gadget.objects.order_by("id")[10:20]
    in_category = Gadget.objects.filter(category="audio").order_by("-id")[10:20]

    assert [gadget.id for gadget in page] == [f"G-{number:03}" for number in range(10, 20)]
    assert [gadget.id for gadget in in_category] == [f"G-{number:03}" for number in range(189, 179, -1)]
    for query in (page, in_category):
        examined = re.findall(r'"totalDocsExamined": (\d+)', query.explain(verbosity="executionStats"))
        assert examined
        assert max(map(int, examined)) <= 20
