"""Reads of what a majority has committed, which no election can take back.

A version that is lost with its primary would leave rows in Cassandra under a timestamp that another version then gets
too: Cassandra would mix the two, cell by cell.
"""

from pymongo.collection import Collection
from pymongo.read_concern import ReadConcern

from gateway.mongo.client import Document, database


def committed(collection: str) -> Collection[Document]:
    """The collection as a majority of the replica set has it; a change of this very moment may not be seen yet."""
    return database()[collection].with_options(read_concern=ReadConcern("majority"))
