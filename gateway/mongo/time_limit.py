"""The synchronous client: every read carries the limit of `gateway.deadline.reads_within` as maxTimeMS.

It is the ORM's client and that of all raw reads beside it, so that no page of the admin can forget the limit, whichever
of the two it reads by. Writes carry none: half a write is worse than a slow one.
"""

from typing import Any

from pymongo import MongoClient
from pymongo.collection import Collection
from pymongo.command_cursor import CommandCursor
from pymongo.cursor import Cursor, RawBatchCursor
from pymongo.database import Database

from gateway.deadline import read_limit_ms

Document = dict[str, Any]
Options = dict[str, Any]


class LimitedCollection(Collection[Document]):
    def find(self, *args: Any, **kwargs: Any) -> Cursor[Document]:
        return super().find(*args, **_limited(kwargs, "max_time_ms"))

    def find_raw_batches(self, *args: Any, **kwargs: Any) -> RawBatchCursor[Document]:
        return super().find_raw_batches(*args, **_limited(kwargs, "max_time_ms"))

    def aggregate(self, *args: Any, **kwargs: Any) -> CommandCursor[Document]:
        return super().aggregate(*args, **_limited(kwargs))

    def aggregate_raw_batches(self, *args: Any, **kwargs: Any) -> RawBatchCursor[Document]:
        return super().aggregate_raw_batches(*args, **_limited(kwargs))

    def count_documents(self, *args: Any, **kwargs: Any) -> int:
        return super().count_documents(*args, **_limited(kwargs))

    def estimated_document_count(self, *args: Any, **kwargs: Any) -> int:
        return super().estimated_document_count(*args, **_limited(kwargs))

    def distinct(self, *args: Any, **kwargs: Any) -> list[Any]:
        return super().distinct(*args, **_limited(kwargs))

    def with_options(self, *args: Any, **options: Any) -> Any:
        like = super().with_options(*args, **options)
        return LimitedCollection(
            self.database,
            self.name,
            False,
            like.codec_options,
            like.read_preference,
            like.write_concern,
            like.read_concern,
        )


class LimitedDatabase(Database[Document]):
    def __getitem__(self, name: str) -> LimitedCollection:
        return LimitedCollection(self, name)

    def get_collection(self, name: str, *args: Any, **options: Any) -> LimitedCollection:
        return LimitedCollection(self, name, False, *args, **options)

    def aggregate(self, *args: Any, **kwargs: Any) -> CommandCursor[Document]:
        return super().aggregate(*args, **_limited(kwargs))


class LimitedClient(MongoClient[Document]):
    def __getitem__(self, name: str) -> LimitedDatabase:
        return LimitedDatabase(self, name)

    def get_database(self, name: str | None = None, *args: Any, **options: Any) -> LimitedDatabase:
        found = super().get_database(name, *args, **options)
        return LimitedDatabase(
            self, found.name, found.codec_options, found.read_preference, found.write_concern, found.read_concern
        )


def _limited(options: Options, name: str = "maxTimeMS") -> Options:
    limit = read_limit_ms(options.get(name))
    return options if limit is None else {**options, name: limit}
