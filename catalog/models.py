"""Documents of the catalog. The derived fields of a product are made by catalog/products/derived.py in every write."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from django.core.validators import MinValueValidator, RegexValidator
from django.db import models
from django.utils import timezone
from django_mongodb_backend.fields import ArrayField, EmbeddedModelArrayField, EmbeddedModelField
from django_mongodb_backend.models import EmbeddedModel

from catalog.search_models import SearchMiss, SearchVocabulary, SynonymGroup  # noqa: F401 - for Django to find
from gateway.mongo.collections import Collection, Index
from gateway.mongo.sharded_document import ShardedDocument
from gateway.sync.marks import UNSYNCED

slug_validator = RegexValidator(r"\A[a-z0-9][a-z0-9-]*\Z", "Латинские строчные буквы, цифры и дефис: smartphones.")


class Geozone(models.Model):
    """A region with its own stock. Its code stands in products, carts and orders, so it never changes."""

    code = models.CharField(
        "код",
        primary_key=True,
        db_column="_id",
        max_length=16,
        validators=[RegexValidator(r"\A[a-z][a-z0-9-]*\Z", "Латинские строчные буквы, цифры и дефис: msk.")],
    )
    name = models.CharField("название", max_length=100)
    position = models.PositiveIntegerField("порядок", default=100, help_text="Меньше — выше в списке.")

    collection = Collection()

    class Meta:
        managed = False  # the collection is made by `manage.py topology apply`
        db_table = "geozones"
        ordering = ("position", "code")
        verbose_name = "геозона"
        verbose_name_plural = "геозоны"

    def __str__(self) -> str:
        return self.name


class Category(models.Model):
    """A node of the category tree. Its slug stands in products and addresses, so it never changes."""

    slug = models.CharField("адрес", primary_key=True, db_column="_id", max_length=64, validators=[slug_validator])
    name = models.CharField("название", max_length=100)
    path = ArrayField(models.CharField(max_length=64), default=list, blank=True, verbose_name="путь", size=8)
    """Slugs from the root down to the parent; empty for a root. The parent is the last."""
    position = models.PositiveIntegerField("порядок", default=100, help_text="Меньше — выше в списке.")

    collection = Collection(indexes=(Index({"path": 1, "position": 1, "_id": 1}),))

    class Meta:
        managed = False
        db_table = "categories"
        ordering = ("position", "slug")
        verbose_name = "категория"
        verbose_name_plural = "категории"

    def __str__(self) -> str:
        return self.name


class Prices(EmbeddedModel):
    base = models.DecimalField("цена", max_digits=12, decimal_places=2, validators=[MinValueValidator(0)])
    sale = models.DecimalField(
        "цена со скидкой", max_digits=12, decimal_places=2, null=True, blank=True, validators=[MinValueValidator(0)]
    )

    class Meta:
        managed = False

    def __str__(self) -> str:
        return str(self.base if self.sale is None else self.sale)


class StockLevel(EmbeddedModel):
    """Pieces in one geozone; what can be bought is quantity - reserved."""

    geozone = models.CharField("геозона", max_length=16)
    quantity = models.PositiveIntegerField("количество", default=0)
    reserved = models.PositiveIntegerField("в резерве", default=0)

    class Meta:
        managed = False

    def __str__(self) -> str:
        return f"{self.geozone}: {self.quantity} ({self.reserved})"


class Image(EmbeddedModel):
    url = models.CharField("адрес", max_length=500)
    alt = models.CharField("описание", max_length=200, blank=True)

    class Meta:
        managed = False

    def __str__(self) -> str:
        return self.alt or self.url


ON_SALE = {"withdrawn": False}
WITHDRAWN = {"withdrawn": True}
MARKED = {"holds.0": {"$exists": True}}


INCOMPLETE = {"missing.0": {"$exists": True}}
RECENTLY_BOUGHT = {"bought": {"$gt": 0}}
# For sale and cheaper than it was.
DISCOUNTED = {**ON_SALE, "discount": {"$gt": 0}}
_PARTS: Mapping[str, Mapping[str, Any]] = {"withdrawn": WITHDRAWN, "discounted": DISCOUNTED}


def listed(order: str, *, by: str | None = None, among: Mapping[str, Any] = ON_SALE) -> Index:
    """The index of one category in this order: of all its products, or of those whose array `by` holds a value."""
    filtered = ["price"] if order != "price" else []  # last, so that a price range is checked without a fetch
    keys = ("category", *([by] if by else []), order, "_id", *filtered)
    return Index(dict.fromkeys(keys, 1), where=among, named=_second_name(keys, among))


def searched(*, by: str | None = None, among: Mapping[str, Any] = ON_SALE) -> Index:
    """The index of a term's products in all categories; a category is checked in the index, without a fetch."""
    keys = ("terms", *([by] if by else []), "_id", "category")
    return Index(dict.fromkeys(keys, 1), where=among, named=_second_name(keys, among))


def _second_name(keys: Sequence[str], among: Mapping[str, Any]) -> str | None:
    """The name of an index of withdrawn or discounted products; that of all those for sale has the usual one."""
    beginning = next((name for name, part in _PARTS.items() if part == among), None)
    return f"{beginning}_by_{'_'.join(keys)}" if beginning else None


# By what the search orders products that are found equally well.
STANDING = "standing"
# The few that are withdrawn, for the admin.
WITHDRAWN_BY_ID = Index({"withdrawn": 1, "_id": 1}, where=WITHDRAWN)
# What has run out or runs low in a geozone, for the admin: the few with such a mark, in the order of the shard key.
BY_SHELF = Index({"shelf": 1, "category": 1, "_id": 1})
# The same of those for sale: what is withdrawn has run out for ever, and would stand in the way of a walk.
LOW_ON_SALE = Index({"shelf": 1, "category": 1, "_id": 1}, where=ON_SALE, named="low_on_sale")
# That of the shard key, which the cluster needs anyway.
BY_CATEGORY_AND_ID = Index({"category": 1, "_id": 1})
# What only staff ask for: of all products, withdrawn ones too.
BY_DISCOUNT = Index({"category": 1, "discount": 1, "_id": 1})
BY_EDITED = Index({"category": 1, "edited_at": 1, "_id": 1})
BY_MISSING = Index({"missing": 1, "category": 1, "_id": 1}, where=INCOMPLETE)
# The few that are bought, for who counts them anew.
BY_BOUGHT = Index({"bought": 1, "_id": 1, "category": 1}, where=RECENTLY_BOUGHT)


class Product(ShardedDocument):
    """A product of the shop, known by the id that the product information system gave it."""

    id = models.CharField("артикул", primary_key=True, db_column="_id", max_length=64)
    category = models.CharField("категория", max_length=64)
    """Slug of a leaf."""
    name = models.CharField("название", max_length=200)
    description = models.TextField("описание", blank=True)
    prices = EmbeddedModelField(Prices, verbose_name="цены")
    stock = EmbeddedModelArrayField(StockLevel, default=list, blank=True, verbose_name="остатки")
    attributes = models.JSONField("характеристики", default=dict, blank=True)
    """Name → value, both strings."""
    images = EmbeddedModelArrayField(Image, default=list, blank=True, verbose_name="изображения")
    withdrawn = models.BooleanField("снят с продажи", default=False)
    low_at = models.PositiveIntegerField("порог остатка", null=True, editable=False)
    """The threshold of its category, copied, so that every write of stock can tell by itself what runs low."""
    created_at = models.DateTimeField("создан", default=timezone.now)
    updated_at = models.DateTimeField("изменён", default=timezone.now)
    edited_at = models.DateTimeField("правка", null=True)
    """When somebody last edited it: sales leave it alone."""
    edited_by = models.CharField("кто правил", max_length=254, blank=True)
    version = models.BigIntegerField("версия", default=1)
    synced_version = models.BigIntegerField("версия в Cassandra", default=0)
    # Derived: each makes one kind of catalog read a walk of an index.
    price = models.DecimalField("цена сейчас", max_digits=12, decimal_places=2, editable=False)
    discount = models.PositiveSmallIntegerField("скидка, %", default=0, editable=False)
    sort_name = models.CharField("название для порядка", max_length=400, editable=False)
    """The name without case; longer than the name may be, because «ß» folds to «ss»."""
    available_in = ArrayField(models.CharField(max_length=16), default=list, editable=False)
    shelf = ArrayField(models.CharField(max_length=24), default=list, editable=False)
    facets = ArrayField(models.CharField(max_length=200), default=list, editable=False)
    terms = ArrayField(models.CharField(max_length=64), default=list, editable=False)
    standing = models.BigIntegerField(default=0, editable=False)
    missing = ArrayField(models.CharField(max_length=16), default=list, editable=False)
    """Of image, description and attributes, those that it has none of."""
    pictures = ArrayField(models.CharField(max_length=40), default=list, editable=False)

    collection: ClassVar[Collection] = Collection(
        shard_key={"category": 1, "_id": 1},
        # Four ranges of about equal weight in a shop like the demo one, so that a first load fills every shard.
        # A page walks one of these: an equality on the first fields, then the order of the sort, then `_id`. Withdrawn
        # products are in none of them. An index may hold one array only; the others are checked on the way.
        indexes=(
            *(listed(order) for order in ("price", "created_at", "sort_name")),
            *(listed(order, by="available_in") for order in ("price", "created_at", "sort_name")),
            *(listed(order, by="facets") for order in ("price", "created_at", "sort_name")),
            *(listed(order, among=DISCOUNTED) for order in ("price", "created_at", "sort_name")),
            searched(),
            searched(by="price"),
            searched(by=STANDING),
            # The few with marks of checkouts, for those who settle them. By a field that selling leaves alone: an index
            # of the marks themselves would have to be changed by every sale.
            Index({"created_at": 1}, where=MARKED),
            # What Cassandra has still to be told of.
            Index({"unsynced.due": 1}, where=UNSYNCED),
            WITHDRAWN_BY_ID,
            # The same orders for staff, who list those withdrawn too: merged with those for sale.
            *(listed(order, among=WITHDRAWN) for order in ("price", "sort_name")),
            *(listed(order, by="facets", among=WITHDRAWN) for order in ("price", "sort_name")),
            searched(among=WITHDRAWN),
            BY_DISCOUNT,
            BY_EDITED,
            BY_MISSING,
            BY_BOUGHT,
            BY_SHELF,
            LOW_ON_SALE,
            # Who shows an uploaded picture.
            Index({"pictures": 1}, where={"pictures.0": {"$exists": True}}),
        ),
        split_at=({"category": "irons"}, {"category": "phone-cases"}, {"category": "smartphones"}),
    )

    class Meta:
        managed = False
        db_table = "products"
        verbose_name = "товар"
        verbose_name_plural = "товары"

    def __str__(self) -> str:
        return self.name


class Picture(ShardedDocument):
    """An uploaded picture, before and after a product shows it. See catalog/pictures/."""

    id = models.CharField(primary_key=True, db_column="_id", max_length=32)
    name = models.CharField(max_length=40)
    width = models.PositiveIntegerField()
    height = models.PositiveIntegerField()
    is_ready = models.BooleanField(default=False)
    has_thumbnails = models.BooleanField(default=False)
    look_at = models.DateTimeField()
    uploaded_at = models.DateTimeField()
    uploaded_by = models.CharField(max_length=254)

    collection: ClassVar[Collection] = Collection(
        shard_key={"_id": "hashed"},
        indexes=(
            Index({"look_at": 1}),
            # The few that wait for their thumbnails.
            Index({"uploaded_at": 1}, where={"has_thumbnails": False}),
        ),
    )

    class Meta:
        managed = False
        db_table = "pictures"
        default_permissions = ()

    def __str__(self) -> str:
        return self.name


class DiscountPlan(ShardedDocument):
    """The discounts of one product that begin and end by themselves. See catalog/discounts/."""

    id = models.CharField(primary_key=True, db_column="_id", max_length=64)
    discounts = models.JSONField(default=list)
    due = models.DateTimeField(null=True)

    collection: ClassVar[Collection] = Collection(
        shard_key={"_id": "hashed"}, indexes=(Index({"due": 1}, where={"due": {"$exists": True}}),)
    )

    class Meta:
        managed = False
        db_table = "discount_plans"
        default_permissions = ()

    def __str__(self) -> str:
        return self.id


class ProductDirectory(ShardedDocument):
    """Where a product id lives. `_id` alone is unique here across shards, which it is not in `products`."""

    id = models.CharField(primary_key=True, db_column="_id", max_length=64)
    category = models.CharField(max_length=64)

    collection: ClassVar[Collection] = Collection(shard_key={"_id": "hashed"})

    class Meta:
        managed = False
        db_table = "product_directory"

    def __str__(self) -> str:
        return f"{self.id}: {self.category}"


class StructureGuard(models.Model):
    """A stripe of the lock between those who use categories and geozones and those who take them away.

    See catalog/structure/guard.py.
    """

    id = models.IntegerField(primary_key=True, db_column="_id")
    taken = models.BigIntegerField(default=0)

    collection = Collection()

    class Meta:
        managed = False
        db_table = "catalog_structure"
        default_permissions = ()

    def __str__(self) -> str:
        return str(self.id)


class ReservationFinding(models.Model):
    """A reservation that differs from what orders wait for, as long as every check finds the same difference.

    See catalog/stock/findings.py.
    """

    id = models.CharField(primary_key=True, db_column="_id", max_length=96)
    """Product id and geozone: `PROD-12345:msk`."""
    product_id = models.CharField("артикул", max_length=64)
    geozone = models.CharField("геозона", max_length=16)
    reserved = models.IntegerField("в резерве")
    expected = models.IntegerField("ждут заказы")
    difference = models.IntegerField("разница")
    first_seen = models.DateTimeField("впервые замечено")
    """Since when every check has found this difference."""
    last_seen = models.DateTimeField("замечено")

    collection = Collection()

    class Meta:
        managed = False
        db_table = "stock_findings"
        default_permissions = ("view",)
        ordering = ("id",)
        verbose_name = "расхождение резерва"
        verbose_name_plural = "расхождения резерва"

    def __str__(self) -> str:
        return f"{self.product_id}, {self.geozone}: {self.difference:+}"


class StockMovement(ShardedDocument):
    """A line of the book of stock: what an order did to a product. See catalog/stock/book.py."""

    id = models.CharField(primary_key=True, db_column="_id", max_length=128)
    """Receipt and product: entered again, it is the same line."""
    product = models.CharField(max_length=64)
    at = models.DateTimeField()
    order_id = models.CharField(max_length=36)
    geozone = models.CharField(max_length=16)
    counted = models.IntegerField()
    reserved = models.IntegerField()
    left = models.IntegerField(null=True)

    collection: ClassVar[Collection] = Collection(
        shard_key={"product": "hashed"},
        indexes=(
            # The history of one product.
            Index({"product": 1, "at": -1, "_id": -1}),
            # A year and a month, so that a season can be compared with the last one.
            Index({"at": 1}, expire_after_seconds=400 * 24 * 3600),
        ),
    )

    class Meta:
        managed = False
        db_table = "stock_movements"
        default_permissions = ()

    def __str__(self) -> str:
        return f"{self.product}, {self.geozone}: {self.counted:+}"
