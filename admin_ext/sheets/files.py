"""Files kept in MongoDB in pieces: any worker on any machine reads them, and they grow while a job writes them."""

import io
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

from bson import Binary
from django.conf import settings
from pymongo.collection import Collection

from admin_ext.sheets.documents import ChunkDocument, FileDocument
from admin_ext.sheets.models import SheetChunk, SheetFile
from gateway.domain.errors import Code, DomainError
from gateway.domain.texts import Text
from gateway.domain.uuid7 import uuid7
from gateway.mongo.client import collection_of, orm_connection

FILES, CHUNKS = SheetFile._meta.db_table, SheetChunk._meta.db_table
# Far below the 16 MB of a document, and few enough for a file of fifty.
CHUNK = 1 << 20


class FileGone(DomainError):
    code = Code.NOT_FOUND
    text = Text("Файла больше нет: он хранится {days} дн.", "The file is gone: it is kept for {days} days.")


def expiry() -> datetime:
    """Until when something of now is kept."""
    return datetime.now(UTC) + timedelta(days=settings.SHEET_KEPT_DAYS)


def new_file(name: str, content_type: str, *, owner: str) -> FileDocument:
    """Begin a file, without any bytes."""
    now = datetime.now(UTC)
    document: FileDocument = {
        "_id": str(uuid7()),
        "name": name,
        "size": 0,
        "chunks": 0,
        "content_type": content_type,
        "owner": owner,
        "created_at": now,
        "expires_at": expiry(),
    }
    _files().insert_one(document, session=orm_connection().session)
    return document


def store_file(name: str, blocks: Iterable[bytes], content_type: str, *, owner: str) -> str:
    """Keep the file; returns its id."""
    file_id = new_file(name, content_type, owner=owner)["_id"]
    for block in blocks:
        append(file_id, block)
    return file_id


def append(file_id: str, data: bytes) -> None:
    """Add bytes to the end of the file, in the running transaction if there is one."""
    session = orm_connection().session
    for begin in range(0, len(data), CHUNK):
        block = data[begin : begin + CHUNK]
        grown = _files().find_one_and_update(
            {"_id": file_id}, {"$inc": {"size": len(block), "chunks": 1}}, session=session
        )
        if grown is None:
            raise FileGone(days=settings.SHEET_KEPT_DAYS)
        number = grown["chunks"]
        _chunks().insert_one(
            {
                "_id": _chunk_id(file_id, number),
                "file": file_id,
                "number": number,
                "data": Binary(block),
                "expires_at": grown["expires_at"],
            },
            session=session,
        )


def file_of(file_id: str) -> FileDocument:
    """Raises FileGone."""
    found = _files().find_one({"_id": file_id})
    if found is None:
        raise FileGone(days=settings.SHEET_KEPT_DAYS)
    return found


def blocks_of(file: FileDocument) -> Iterator[bytes]:
    """The bytes of the file, a piece at a time."""
    for number in range(file["chunks"]):
        yield _read(file["_id"], number)


def open_file(file_id: str) -> io.BufferedReader:
    """The file for those who read it back and forth."""
    return io.BufferedReader(_Chunks(file_of(file_id)), CHUNK)


class _Chunks(io.RawIOBase):
    """A file of chunks that are all but the last of one length."""

    def __init__(self, file: FileDocument) -> None:
        super().__init__()
        self._file = file
        self._at = 0
        self._held: tuple[int, bytes] = (-1, b"")

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        start = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._file["size"]}[whence]
        self._at = max(0, start + offset)
        return self._at

    def readinto(self, buffer: Any, /) -> int:
        number, offset = divmod(self._at, CHUNK)
        if self._at >= self._file["size"]:
            return 0
        if self._held[0] != number:
            self._held = number, _read(self._file["_id"], number)
        block = self._held[1][offset : offset + len(buffer)]
        buffer[: len(block)] = block
        self._at += len(block)
        return len(block)


def _read(file_id: str, number: int) -> bytes:
    found = _chunks().find_one({"file": file_id, "_id": _chunk_id(file_id, number)})
    if found is None:
        raise FileGone(days=settings.SHEET_KEPT_DAYS)
    return bytes(found["data"])


def _chunk_id(file_id: str, number: int) -> str:
    return f"{file_id}:{number:06}"


def _files() -> Collection[FileDocument]:
    return collection_of(FILES, FileDocument)


def _chunks() -> Collection[ChunkDocument]:
    return collection_of(CHUNKS, ChunkDocument)
