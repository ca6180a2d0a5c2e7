"""Reads of what no election can take back.

A version that is lost with its primary would leave rows in Cassandra under a timestamp that another version then gets
too: Cassandra would mix the two, cell by cell.
"""

from pymongo.collection import Collection
from pymongo.read_concern import ReadConcern

from gateway.mongo.client import Document, database


def committed(collection: str) -> Collection[Document]:
    """As most members of its replica set have it: of a change of this moment perhaps not yet the newest."""
    return database()[collection].with_options(read_concern=ReadConcern("majority"))
