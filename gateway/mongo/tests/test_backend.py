"""A migration that died half-way can be run again."""

from django.contrib.auth.models import Group
from pymongo.database import Database

from gateway.mongo.client import Document, orm_connection


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
