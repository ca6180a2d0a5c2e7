"""Two small sharded documents, one ranged and one hashed, on which the tests of the frame work."""

from django.db import models
from django_mongodb_backend.fields import ObjectIdAutoField

from gateway.mongo.collections import Collection, Index
from gateway.mongo.sharded_document import ShardedDocument


class Gadget(ShardedDocument):
    """Sharded like products: by category, then by its own id."""

    id = models.CharField(primary_key=True, db_column="_id", max_length=32)
    category = models.CharField(max_length=64)
    name = models.CharField(max_length=100)
    price = models.DecimalField(max_digits=12, decimal_places=2, default=0)

    collection = Collection(
        shard_key={"category": 1, "_id": 1},
        indexes=(Index({"category": 1, "price": 1, "_id": 1}),),
        split_at=({"category": "m"},),
    )

    class Meta:
        managed = False
        app_label = "samples"
        db_table = "sample_gadgets"

    def __str__(self) -> str:
        return self.name


class Basket(ShardedDocument):
    """Sharded like carts and orders: by the hash of its owner, who has one active basket at most."""

    id = ObjectIdAutoField(primary_key=True, db_column="_id")
    owner = models.CharField(max_length=64)
    status = models.CharField(max_length=16)
    expires_at = models.DateTimeField(null=True)

    collection = Collection(
        shard_key={"owner": "hashed"},
        indexes=(
            Index({"owner": 1}, unique=True, where={"status": "active"}),
            Index({"expires_at": 1}, expire_after_seconds=0),
        ),
    )

    class Meta:
        managed = False
        app_label = "samples"
        db_table = "sample_baskets"

    def __str__(self) -> str:
        return f"{self.owner}: {self.status}"
