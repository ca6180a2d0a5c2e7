from typing import ClassVar

from django.db import models
from django_mongodb_backend.fields import ObjectIdAutoField

from gateway.mongo.collections import Collection, Index


class AuditEntry(models.Model):
    """Who changed what, when and why. Written by `gateway.audit.trail` only, never changed afterwards."""

    id = ObjectIdAutoField(primary_key=True, db_column="_id")
    at = models.DateTimeField("когда")
    actor_id = models.CharField("учётная запись", max_length=64)
    actor = models.CharField("кто", max_length=254)
    """The person's address at that time: accounts are renamed, the past is not."""
    source = models.CharField("откуда", max_length=16, default="system")
    """One of the values of `gateway.audit.trail.Source`."""
    step = models.CharField("шаг", max_length=36, blank=True)
    """The same for everything that was done in one step; entries of earlier releases have none."""
    action = models.CharField("действие", max_length=64)
    """One of the values of `gateway.audit.trail.Action`."""
    target = models.CharField("что", max_length=160)
    """The kind and id of what was changed: `product:PROD-12345`."""
    changes = models.JSONField("изменения", default=dict)
    """Field → [before, after]."""
    reason = models.CharField("причина", max_length=500, blank=True)

    collection: ClassVar[Collection] = Collection(
        indexes=(
            Index({"target": 1, "at": -1, "_id": -1}),
            Index({"actor_id": 1, "at": -1, "_id": -1}),
            Index({"actor_id": 1, "action": 1, "at": -1, "_id": -1}),
            Index({"action": 1, "at": -1, "_id": -1}),
            Index({"step": 1, "at": -1, "_id": -1}),
            Index({"at": -1, "_id": -1}),
            # By the address at that time, for whoever has the right to be forgotten.
            Index({"actor": 1, "at": -1}),
        )
    )

    class Meta:
        managed = False  # the collection is made by `manage.py topology apply`
        db_table = "audit"
        ordering = ("-at",)
        default_permissions = ("view",)
        verbose_name = "запись журнала"
        verbose_name_plural = "журнал изменений"

    def __str__(self) -> str:
        return f"{self.at:%Y-%m-%d %H:%M} {self.actor}: {self.action} {self.target}"
