"""Long work of staff. What a job holds is typed in admin_ext/jobs/documents.py; these fields serve its pages."""

from typing import ClassVar

from django.db import models
from django_mongodb_backend.fields import ObjectIdAutoField

from gateway.mongo.collections import Collection, Index


class Job(models.Model):
    """One piece of long work: who wants what, how far it is, what came of it."""

    id = models.CharField(primary_key=True, db_column="_id", max_length=36)
    number = models.IntegerField("номер")
    """What people call it; jobs over the same products run in this order."""
    kind = models.CharField("вид", max_length=32)
    state = models.CharField("состояние", max_length=16)
    done = models.IntegerField("сделано", default=0)
    total = models.IntegerField("всего", null=True)
    created_at = models.DateTimeField("создано")
    started_at = models.DateTimeField("начато", null=True)
    finished_at = models.DateTimeField("закончено", null=True)

    collection: ClassVar[Collection] = Collection(
        indexes=(
            Index({"number": -1}, unique=True),
            Index({"actor.id": 1, "number": -1}),
            Index({"kind": 1, "number": -1}),
            # For the sweep, for those who wait for each other, and for the list of what runs.
            Index({"state": 1, "number": -1}),
        )
    )

    class Meta:
        managed = False  # the collection is made by `manage.py topology apply`
        db_table = "jobs"
        ordering = ("-number",)
        default_permissions = ("view",)
        verbose_name = "задание"
        verbose_name_plural = "задания"

    def __str__(self) -> str:
        return f"№ {self.number}"


class JobTurn(models.Model):
    """The one document that everybody writes who decides whose turn it is: two who do so at once conflict."""

    id = models.CharField(primary_key=True, db_column="_id", max_length=16)
    taken = models.BigIntegerField(default=0)

    collection: ClassVar[Collection] = Collection()

    class Meta:
        managed = False
        db_table = "job_turns"
        default_permissions = ()

    def __str__(self) -> str:
        return str(self.taken)


class JobRemark(models.Model):
    """What a job left alone of one product, and why. See admin_ext/jobs/remarks.py."""

    id = ObjectIdAutoField(primary_key=True, db_column="_id")
    job = models.CharField(max_length=36)
    product = models.CharField(max_length=64)

    collection: ClassVar[Collection] = Collection(indexes=(Index({"job": 1, "_id": 1}),))

    class Meta:
        managed = False
        db_table = "job_remarks"
        default_permissions = ()

    def __str__(self) -> str:
        return self.product
