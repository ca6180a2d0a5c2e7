from typing import ClassVar

from django.db import models

from gateway.mongo.collections import Collection, Index


class SavedView(models.Model):
    """A search, filters and an order of a list, kept under a name, see gateway/staff/saved_views.py."""

    id = models.CharField(primary_key=True, db_column="_id", max_length=36)
    list = models.CharField(max_length=100)
    """The model listed: `catalog.product`."""
    space = models.CharField(max_length=64)
    """Whose it is: the account's id; empty for one that everybody sees."""
    name = models.CharField(max_length=60)
    folded = models.CharField(max_length=120)
    """The name without case: two that people cannot tell apart are one."""
    query = models.CharField(max_length=1000)
    """The address of the view, without what the list does not know."""
    maker = models.CharField(max_length=64)

    collection: ClassVar[Collection] = Collection(indexes=(Index({"list": 1, "space": 1, "folded": 1}, unique=True),))

    class Meta:
        managed = False
        db_table = "staff_views"
        default_permissions = ()

    def __str__(self) -> str:
        return self.name
