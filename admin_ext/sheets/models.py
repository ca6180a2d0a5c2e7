"""Sheets that staff load and get. What the documents hold is typed in admin_ext/sheets/documents.py.

Bytes and rows are in MongoDB, where every worker on every machine finds them; all of it deletes itself after some days.
"""

from typing import ClassVar

from django.db import models

from gateway.mongo.collections import Collection, Index
from gateway.mongo.sharded_document import ShardedDocument

EXPIRY = Index({"expires_at": 1}, expire_after_seconds=0)


class SheetImport(models.Model):
    """A file that somebody has sent to be loaded."""

    id = models.CharField(primary_key=True, db_column="_id", max_length=36)
    name = models.CharField("файл", max_length=200)
    created_at = models.DateTimeField("загружен")
    expires_at = models.DateTimeField("хранится до")

    collection: ClassVar[Collection] = Collection(
        indexes=(Index({"created_at": -1, "_id": -1}), Index({"owner": 1, "created_at": -1, "_id": -1}), EXPIRY)
    )

    class Meta:
        managed = False  # the collection is made by `manage.py topology apply`
        db_table = "sheet_imports"
        default_permissions = ()
        ordering = ("-created_at", "-id")
        verbose_name = "импорт товаров"
        verbose_name_plural = "импорт товаров"

    def __str__(self) -> str:
        return self.name


class SheetFile(models.Model):
    """A file, without its bytes."""

    id = models.CharField(primary_key=True, db_column="_id", max_length=36)
    expires_at = models.DateTimeField()

    collection: ClassVar[Collection] = Collection(indexes=(EXPIRY,))

    class Meta:
        managed = False
        db_table = "sheet_files"
        default_permissions = ()

    def __str__(self) -> str:
        return self.id


class SheetChunk(ShardedDocument):
    """Some bytes of a file. All of one file are on one shard."""

    id = models.CharField(primary_key=True, db_column="_id", max_length=48)
    file = models.CharField(max_length=36)
    expires_at = models.DateTimeField()

    collection: ClassVar[Collection] = Collection(
        shard_key={"file": "hashed"}, indexes=(Index({"file": 1, "_id": 1}), EXPIRY)
    )

    class Meta:
        managed = False
        db_table = "sheet_chunks"
        default_permissions = ()

    def __str__(self) -> str:
        return self.id


class SheetPart(ShardedDocument):
    """Some rows of an import, and what loading them would do. All of one import are on one shard."""

    id = models.CharField(primary_key=True, db_column="_id", max_length=48)
    sheet = models.CharField(max_length=36)
    number = models.IntegerField()
    expires_at = models.DateTimeField()

    collection: ClassVar[Collection] = Collection(
        shard_key={"sheet": "hashed"},
        indexes=(
            # By number; parts in which there is nothing to show are passed over without reading them.
            Index({"sheet": 1, "number": 1, "created": 1, "changed": 1, "refused": 1}),
            # By id of a product, to find those that a file names twice.
            Index({"sheet": 1, "ids": 1}),
            EXPIRY,
        ),
    )

    class Meta:
        managed = False
        db_table = "sheet_parts"
        default_permissions = ()

    def __str__(self) -> str:
        return self.id
