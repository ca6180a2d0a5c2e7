"""A look into every collection and every table, for what must be nowhere any more."""

from collections.abc import Iterator

from bson import json_util
from django.conf import settings

from gateway.cassandra.driver.session import CONNECTOR
from gateway.cassandra.table import declared_tables
from gateway.mongo.client import database


def places_of(*sought: str) -> set[str]:
    """Names of the collections and tables in which one of the texts stands."""
    wanted = [text.casefold() for text in sought]
    return {place for place, text in _texts() if any(each in text.casefold() for each in wanted)}


def _texts() -> Iterator[tuple[str, str]]:
    for name in database().list_collection_names():
        for document in database()[name].find():
            yield name, json_util.dumps(document, ensure_ascii=False)
    if settings.CASSANDRA_CONTACT_POINTS:
        session = CONNECTOR.connection().session
        for table in declared_tables():
            for row in session.execute(f"SELECT * FROM {table.full_name}", timeout=60):  # noqa: S608
                yield table.name, str(row)
