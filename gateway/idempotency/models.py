from typing import ClassVar

from django.db import models

from gateway.idempotency.keys import KEPT
from gateway.mongo.collections import Collection, Index


class Receipt(models.Model):
    """What a member of staff did under a key, see gateway/idempotency/receipts.py."""

    id = models.CharField(primary_key=True, db_column="_id", max_length=100)
    """The account whose key it is, and the hash of the key."""
    request = models.CharField(max_length=32)
    at = models.DateTimeField()

    collection: ClassVar[Collection] = Collection(
        indexes=(Index({"at": 1}, expire_after_seconds=round(KEPT.total_seconds())),)
    )

    class Meta:
        managed = False
        db_table = "idempotency_receipts"
        default_permissions = ()

    def __str__(self) -> str:
        return self.id
