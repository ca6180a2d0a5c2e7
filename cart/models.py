"""Documents of the carts. Prices and stock are not here: they are read from the products whenever a cart is shown."""

from typing import ClassVar

from django.db import models
from django.utils import timezone
from django_mongodb_backend.fields import EmbeddedModelArrayField, ObjectIdAutoField
from django_mongodb_backend.models import EmbeddedModel

from gateway.mongo.collections import Collection, Index
from gateway.mongo.sharded_document import ShardedDocument

# `expires_at` is when a cart counts as abandoned, which a sweep marks, or when one that is no longer active may go. The
# server deletes only this much later: a sweep may be down for a week, and no cart goes unseen.
BACKSTOP_SECONDS = 7 * 24 * 3600


class CartStatus(models.TextChoices):
    ACTIVE = "active", "активна"
    ORDERED = "ordered", "оформлена"
    ABANDONED = "abandoned", "брошена"


class CartItem(EmbeddedModel):
    product_id = models.CharField("артикул", max_length=64)
    category = models.CharField("категория", max_length=64)
    """Where the product was when it was put in; it may have moved since."""
    name = models.CharField("название", max_length=200)
    """The product's name when it was put in: what to call the line once the product is gone."""
    quantity = models.PositiveIntegerField("количество")
    price_seen = models.DecimalField("цена при добавлении", max_digits=12, decimal_places=2)

    class Meta:
        managed = False

    def __str__(self) -> str:
        return f"{self.name}: {self.quantity}"


class Cart(ShardedDocument):
    """A buyer's cart. One owner has at most one active cart; those before it stay for a while, ordered or abandoned."""

    id = ObjectIdAutoField(primary_key=True, db_column="_id")
    owner = models.CharField("владелец", max_length=64)
    """`u:<user id>` or `s:<hash of the session id>`, see gateway/accounts/owners.py."""
    user_id = models.CharField("пользователь", max_length=32, null=True, blank=True)  # noqa: DJ001 - null: a guest
    session_id = models.CharField("сеанс", max_length=64, null=True, blank=True)  # noqa: DJ001 - hashed; null: a customer
    status = models.CharField("статус", max_length=16, choices=CartStatus, default=CartStatus.ACTIVE)
    geozone = models.CharField("геозона", max_length=16, null=True, blank=True)  # noqa: DJ001 - null: not said yet
    items = EmbeddedModelArrayField(CartItem, default=list, blank=True, verbose_name="товары")
    version = models.BigIntegerField("версия", default=1)
    created_at = models.DateTimeField("создана", default=timezone.now)
    updated_at = models.DateTimeField("изменена", default=timezone.now)
    expires_at = models.DateTimeField("истекает")
    abandoned_at = models.DateTimeField("брошена", null=True, blank=True)
    order_id = models.CharField("заказ", max_length=36, null=True, blank=True)  # noqa: DJ001 - null: not ordered
    merged_into = models.CharField("перешла к", max_length=64, null=True, blank=True)  # noqa: DJ001 - null: not merged
    """The owner whose cart took the lines when a guest signed in."""
    receipts = models.JSONField("ключи запросов", default=list, editable=False)
    """Receipts of changes made under a key, see gateway/idempotency/embedded.py; absent when there were none."""

    collection: ClassVar[Collection] = Collection(
        # Hashed like orders: equal owners of both collections lie in equal ranges, so on one shard.
        shard_key={"owner": "hashed"},
        indexes=(
            # One active cart per owner, made certain by the store.
            Index({"owner": 1}, unique=True, where={"status": CartStatus.ACTIVE.value}),
            # The newest of an owner, whatever became of it.
            Index({"owner": 1, "created_at": -1}),
            # One change per key that a client made, whatever became of the cart; made certain by the store.
            Index({"owner": 1, "receipts.key": 1}, unique=True, where={"receipts.key": {"$exists": True}}),
            # What the sweep marks, oldest first.
            Index({"status": 1, "expires_at": 1}),
            # Analytics: the carts of a day, and the days whose carts changed since the last run.
            Index({"created_at": 1}),
            Index({"updated_at": 1}),
            Index({"expires_at": 1}, expire_after_seconds=BACKSTOP_SECONDS),
        ),
    )

    class Meta:
        managed = False
        db_table = "carts"
        verbose_name = "корзина"
        verbose_name_plural = "корзины"

    def __str__(self) -> str:
        return f"{self.owner}: {self.status}"


class LostProduct(EmbeddedModel):
    """A product in the carts of a day that were abandoned."""

    product_id = models.CharField("артикул", max_length=64)
    name = models.CharField("название", max_length=200)
    carts = models.PositiveIntegerField("корзины")
    quantity = models.PositiveIntegerField("количество")
    lost_value = models.DecimalField("потеряно", max_digits=20, decimal_places=2)

    class Meta:
        managed = False

    def __str__(self) -> str:
        return f"{self.name}: {self.lost_value}"


class AbandonedCartDay(models.Model):
    """What became of the carts made on one day in one geozone; cart/analytics.py computes it."""

    id = models.CharField(primary_key=True, db_column="_id", max_length=32)
    """`<day>:<geozone>`, so that computing a day again replaces its figures."""
    day = models.DateField("день")
    geozone = models.CharField("геозона", max_length=16, null=True, blank=True)  # noqa: DJ001 - null: never said
    carts = models.PositiveIntegerField("корзины")
    abandoned = models.PositiveIntegerField("брошено")
    ordered = models.PositiveIntegerField("оформлено")
    lost_value = models.DecimalField("потеряно", max_digits=20, decimal_places=2)
    products = EmbeddedModelArrayField(LostProduct, default=list, blank=True, verbose_name="товары")
    """The products with the largest lost value, the largest first."""
    computed_at = models.DateTimeField("рассчитано")

    collection = Collection(indexes=(Index({"day": -1, "geozone": 1}),))

    class Meta:
        managed = False
        db_table = "abandoned_cart_days"
        ordering = ("-day", "geozone")
        verbose_name = "брошенные корзины за день"
        verbose_name_plural = "брошенные корзины по дням"

    def __str__(self) -> str:
        return f"{self.day}, {self.geozone or 'без геозоны'}"


class AnalyticsProgress(models.Model):
    """How far the incremental analytics has seen the changes of carts: one document."""

    id = models.CharField(primary_key=True, db_column="_id", max_length=16)
    seen_until = models.DateTimeField()
    computed_at = models.DateTimeField()

    collection = Collection()

    class Meta:
        managed = False
        db_table = "cart_analytics_progress"
        default_permissions = ()

    def __str__(self) -> str:
        return str(self.seen_until)
