"""Models of the orders and of the collections beside them: facts frozen at purchase, and what happened since."""

from typing import ClassVar

from django.db import models
from django.utils import timezone
from django_mongodb_backend.fields import ArrayField, EmbeddedModelArrayField, EmbeddedModelField
from django_mongodb_backend.models import EmbeddedModel

from gateway.domain.money import CURRENCY
from gateway.domain.texts import DEFAULT_LANGUAGE
from gateway.mongo.collections import Collection, Index
from gateway.mongo.sharded_document import ShardedDocument
from gateway.sync.marks import UNSYNCED


class OrderStatus(models.TextChoices):
    NEW = "new", "новый"
    PAID = "paid", "оплачен"
    PROCESSING = "processing", "собирается"
    SHIPPED = "shipped", "отправлен"
    DELIVERED = "delivered", "доставлен"
    CANCELLED = "cancelled", "отменён"
    EXPIRED = "expired", "истёк"
    REFUNDED = "refunded", "возвращён"


class Contact(EmbeddedModel):
    name = models.CharField("имя", max_length=150)
    email = models.EmailField("e-mail")
    phone = models.CharField("телефон", max_length=32)

    class Meta:
        managed = False

    def __str__(self) -> str:
        return self.name


class Address(EmbeddedModel):
    city = models.CharField("город", max_length=100)
    street = models.CharField("улица, дом, квартира", max_length=200)
    postcode = models.CharField("индекс", max_length=16, blank=True)
    comment = models.CharField("комментарий", max_length=500, blank=True)

    class Meta:
        managed = False

    def __str__(self) -> str:
        return f"{self.city}, {self.street}"


class OrderItem(EmbeddedModel):
    product_id = models.CharField("артикул", max_length=64)
    category = models.CharField("категория", max_length=64)
    name = models.CharField("название", max_length=200)
    price = models.DecimalField("цена", max_digits=12, decimal_places=2)
    quantity = models.PositiveIntegerField("количество")
    refunded = models.PositiveIntegerField("возвращено", default=0)

    class Meta:
        managed = False

    def __str__(self) -> str:
        return f"{self.name}: {self.quantity}"


class OrderEvent(EmbeddedModel):
    event_id = models.CharField("событие", max_length=36, db_column="id")
    at = models.DateTimeField("когда")
    type = models.CharField("вид", max_length=32)
    status = models.CharField("статус", max_length=16, choices=OrderStatus)
    """The order's status after the event."""
    actor = models.CharField("кто", max_length=254)
    note = models.CharField("почему", max_length=500, blank=True)
    entry = models.CharField("запись о деньгах", max_length=36, null=True)  # noqa: DJ001 - null: tells of no money

    class Meta:
        managed = False

    def __str__(self) -> str:
        return f"{self.type}: {self.status}"


class Tracking(EmbeddedModel):
    carrier = models.CharField("перевозчик", max_length=64)
    number = models.CharField("номер отправления", max_length=64)
    url = models.CharField("страница отслеживания", max_length=300, null=True)  # noqa: DJ001 - null: none is known

    class Meta:
        managed = False

    def __str__(self) -> str:
        return f"{self.carrier} {self.number}"


class OrderNote(EmbeddedModel):
    note_id = models.CharField("заметка", max_length=36, db_column="id")
    at = models.DateTimeField("когда")
    actor = models.CharField("кто", max_length=254)
    text = models.CharField("текст", max_length=2000)
    mentions = ArrayField(models.CharField(max_length=254), default=list, verbose_name="упомянуты")
    key = models.CharField("ключ", max_length=100, null=True)  # noqa: DJ001 - null: not given

    class Meta:
        managed = False

    def __str__(self) -> str:
        return self.text


class OrderLetter(EmbeddedModel):
    letter_id = models.CharField("письмо", max_length=36, db_column="id")
    event = models.CharField("событие", max_length=36)
    at = models.DateTimeField("когда")
    to = models.CharField("кому", max_length=254)
    state = models.CharField("что с ним", max_length=16)
    by = models.CharField("кто отправил снова", max_length=254, null=True)  # noqa: DJ001 - null: nobody

    class Meta:
        managed = False

    def __str__(self) -> str:
        return f"{self.to}: {self.state}"


class Order(ShardedDocument):
    id = models.CharField("id", primary_key=True, db_column="_id", max_length=36)
    """A UUIDv7: ids are in the order of time."""
    owner = models.CharField("владелец", max_length=64)
    user_id = models.CharField("пользователь", max_length=32, null=True, blank=True)  # noqa: DJ001 - null: a guest
    cart_id = models.CharField("корзина", max_length=24)
    number = models.CharField("номер", max_length=16)
    status = models.CharField("статус", max_length=16, choices=OrderStatus, default=OrderStatus.NEW)
    items = EmbeddedModelArrayField(OrderItem, verbose_name="товары")
    total = models.DecimalField("сумма", max_digits=14, decimal_places=2)
    currency = models.CharField("валюта", max_length=3, default=CURRENCY)
    geozone = models.CharField("геозона", max_length=16)
    language = models.CharField("язык писем", max_length=2, default=DEFAULT_LANGUAGE)
    contact = EmbeddedModelField(Contact, verbose_name="получатель")
    shipping_address = EmbeddedModelField(Address, verbose_name="адрес")
    money = models.JSONField("деньги", default=list, editable=False)
    """The ledger, see ordering/ledger/fields.py; absent from orders that an earlier release wrote."""
    events = EmbeddedModelArrayField(OrderEvent, default=list, blank=True, verbose_name="события")
    reserved_until = models.DateTimeField("резерв до", null=True, blank=True)
    client_key = models.CharField("ключ клиента", max_length=100, null=True, blank=True)  # noqa: DJ001 - null: not given
    request = models.CharField("отпечаток запроса", max_length=64, editable=False)
    """A hash of what the buyer sent: the same again gives this order again."""
    keys = ArrayField(models.CharField(max_length=300), default=list, editable=False)
    """What support finds it by, see ordering/reading/lookup_keys.py."""
    to_refund = models.BooleanField("вернуть деньги", default=False)
    """Something is due back: written with every ledger from what it says, for the index that support walks."""
    retaken = models.CharField("резерв по оплате", max_length=36, null=True, editable=False)  # noqa: DJ001 - null: never
    """The hold under which stock was taken again for a payment that came after expiry."""
    moved_under = ArrayField(models.CharField(max_length=36), null=True, editable=False)
    """The holds under which stock was reserved in other geozones, see ordering/lifecycle/geozone.py."""
    tracking = EmbeddedModelField(Tracking, null=True, verbose_name="отправление")
    notes = EmbeddedModelArrayField(OrderNote, null=True, verbose_name="заметки")
    letters = EmbeddedModelArrayField(OrderLetter, null=True, verbose_name="письма")
    """What became of each letter to the buyer, see ordering/mail/record.py."""
    mail_given_up = models.BooleanField("письмо не ушло", default=False)
    """A letter was given up and has not been sent again: only then is it there, for the index that support walks."""
    mail_due = models.JSONField("долг почте", default=list, editable=False)
    """Events that the buyer has not been told of yet, see ordering/mail/delivery.py."""
    stock_due = models.JSONField("долг складу", default=list, editable=False)
    """Changes of stock that a move of this order owes and that may not have been made yet: ordering/stock/debts.py."""
    created_at = models.DateTimeField("создан", default=timezone.now)
    updated_at = models.DateTimeField("изменён", default=timezone.now)
    past_owners = ArrayField(models.CharField(max_length=64), default=list, editable=False)
    """Guests whose it was: rows under their names are taken away, see ordering/cassandra/rows.py."""
    past_geozones = ArrayField(models.CharField(max_length=16), null=True, editable=False)
    """Where it was: its row there is taken away likewise."""
    period_bucket = models.PositiveIntegerField("часть дня", null=True, editable=False)
    """The bucket of its day in `orders_by_period`; null until the first sync."""
    version = models.BigIntegerField("версия", default=1)
    synced_version = models.BigIntegerField("версия в Cassandra", default=0)

    collection: ClassVar[Collection] = Collection(
        # Hashed like carts: equal owners of both collections lie in equal ranges, so on one shard.
        shard_key={"owner": "hashed"},
        indexes=(
            # A buyer's history.
            Index({"owner": 1, "created_at": -1, "_id": -1}),
            # One order per key that a client made, made certain by the store.
            Index({"owner": 1, "client_key": 1}, unique=True, where={"client_key": {"$type": "string"}}),
            # Support: number, e-mail, phone, customer, words of the name, products, references; newest first.
            Index({"keys": 1, "created_at": -1, "_id": -1}),
            # Staff: slices by status and by geozone, newest first.
            Index({"status": 1, "created_at": -1, "_id": -1}),
            Index({"geozone": 1, "created_at": -1, "_id": -1}),
            Index({"geozone": 1, "status": 1, "created_at": -1, "_id": -1}),
            # Sweeps: what is held and not paid, and what stock is owed.
            Index({"reserved_until": 1, "_id": 1}, where={"reserved_until": {"$type": "date"}}),
            Index({"stock_due.at": 1}, where={"stock_due.at": {"$exists": True}}),
            Index({"mail_due.at": 1}, where={"mail_due.at": {"$exists": True}}),
            # What Cassandra has still to be told of: for the sweep, and to be merged into an owner's history.
            Index({"unsynced.due": 1}, where=UNSYNCED),
            Index({"owner": 1, "unsynced.due": 1}, where=UNSYNCED),
            # Operators: what it has waited for too long, however often it was tried.
            Index({"unsynced.since": 1, "_id": 1}, where=UNSYNCED),
            # The archive and the reconciliation, by day.
            Index({"created_at": 1, "_id": 1}),
            # Support: money that has to go back.
            Index({"to_refund": 1, "created_at": -1, "_id": -1}, where={"to_refund": True}),
            # Support: buyers whom a letter did not reach.
            Index({"mail_given_up": 1, "created_at": -1, "_id": -1}, where={"mail_given_up": True}),
        ),
    )

    class Meta:
        managed = False
        db_table = "orders"
        default_permissions = ("view", "change")
        permissions = (
            ("refund_order", "Возвращать деньги до предела"),
            ("refund_above_limit", "Возвращать деньги выше предела"),
        )
        verbose_name = "заказ"
        verbose_name_plural = "заказы"

    def __str__(self) -> str:
        return self.number


class OrderNumber(ShardedDocument):
    """A number that has been given out. `_id` alone is unique here across shards."""

    id = models.CharField(primary_key=True, db_column="_id", max_length=16)

    collection: ClassVar[Collection] = Collection(shard_key={"_id": "hashed"})

    class Meta:
        managed = False
        db_table = "order_numbers"
        default_permissions = ()

    def __str__(self) -> str:
        return self.id


class StrayReason(models.TextChoices):
    UNKNOWN = "unknown", "такого заказа нет"
    ARCHIVED = "archived", "заказ в архиве, и вернуть его оттуда не удалось"


class StrayMoney(ShardedDocument):
    """Money that the payment system tells of and that fits no order: staff find out whose it is, and settle it."""

    id = models.CharField("событие", primary_key=True, db_column="_id", max_length=150)
    """Its kind and reference: told again, it is the same."""
    at = models.DateTimeField("когда")
    type = models.CharField("вид", max_length=32)
    reference = models.CharField("номер", max_length=100)
    amount = models.DecimalField("сумма", max_digits=14, decimal_places=2)
    currency = models.CharField("валюта", max_length=3)
    order = models.CharField("заказ, как он назван", max_length=100)
    reason = models.CharField("почему не записано в заказ", max_length=16, choices=StrayReason)
    settled_at = models.DateTimeField("улажено", null=True, blank=True)
    settled_by = models.CharField("кем улажено", max_length=254, blank=True)
    settled_reference = models.CharField("как улажено: номер возврата или заказа", max_length=100, blank=True)

    collection: ClassVar[Collection] = Collection(
        shard_key={"_id": "hashed"},
        indexes=(
            # Staff: what is to be settled, and all of it, newest first.
            Index({"settled_at": 1, "at": -1, "_id": -1}),
            Index({"at": -1, "_id": -1}),
        ),
    )

    class Meta:
        managed = False
        db_table = "stray_money"
        # Whoever works on orders works on these.
        default_permissions = ()
        verbose_name = "деньги без заказа"
        verbose_name_plural = "деньги без заказа"

    def __str__(self) -> str:
        return f"{self.amount} ({self.reference})"


class UnpaidHoldings(ShardedDocument):
    """The unpaid orders of one buyer, or from one address, see ordering/checkout/unpaid_limits.py."""

    id = models.CharField(primary_key=True, db_column="_id", max_length=80)
    """The owner, or `a:` and a keyed hash of the address."""
    held = models.JSONField(default=list)
    """[{order_id, at, until, pieces}]"""
    pieces = models.JSONField(default=dict)
    """How many of each product, over all of the orders."""
    expires_at = models.DateTimeField()

    collection: ClassVar[Collection] = Collection(
        shard_key={"_id": "hashed"}, indexes=(Index({"expires_at": 1}, expire_after_seconds=0),)
    )

    class Meta:
        managed = False
        db_table = "unpaid_holdings"
        default_permissions = ()

    def __str__(self) -> str:
        return self.id


class Mailbox(ShardedDocument):
    """What was sent to one address lately, see ordering/mail/mailboxes.py."""

    id = models.CharField(primary_key=True, db_column="_id", max_length=64)
    """A keyed hash of the address."""
    sent = models.JSONField(default=list)
    """[{id, at}]: the events that were told, and when."""
    expires_at = models.DateTimeField()

    collection: ClassVar[Collection] = Collection(
        shard_key={"_id": "hashed"}, indexes=(Index({"expires_at": 1}, expire_after_seconds=0),)
    )

    class Meta:
        managed = False
        db_table = "mailboxes"
        default_permissions = ()

    def __str__(self) -> str:
        return self.id


class SalesQuarter(models.Model):
    """What was sold in a quarter of an hour in one geozone; ordering/sales/sums.py computes it."""

    id = models.CharField(primary_key=True, db_column="_id", max_length=40)
    """`<begin>:<geozone>`, so that computing it again replaces its figures."""
    begins = models.DateTimeField("начало")
    geozone = models.CharField("геозона", max_length=16)
    orders = models.PositiveIntegerField("заказы")
    pieces = models.PositiveIntegerField("штук")
    total = models.DecimalField("сумма", max_digits=20, decimal_places=2)
    paid = models.DecimalField("оплачено", max_digits=20, decimal_places=2)
    refunded = models.DecimalField("возвращено", max_digits=20, decimal_places=2)
    computed_at = models.DateTimeField("рассчитано")

    # Small and not sharded: ten geozones make a thousand documents a day.
    collection: ClassVar[Collection] = Collection(indexes=(Index({"begins": 1, "geozone": 1}),))

    class Meta:
        managed = False
        db_table = "sales_quarters"
        default_permissions = ("view",)
        verbose_name = "продажи за четверть часа"
        verbose_name_plural = "продажи по четвертям часа"

    def __str__(self) -> str:
        return f"{self.begins}, {self.geozone}"


class SalesProgress(models.Model):
    """How far the orders are summed: one document."""

    id = models.CharField(primary_key=True, db_column="_id", max_length=16)
    seen_until = models.DateTimeField(null=True)
    failed_at = models.DateTimeField(null=True)
    """When Cassandra did not answer; it did since, if `seen_until` is later."""

    collection: ClassVar[Collection] = Collection()

    class Meta:
        managed = False
        db_table = "sales_progress"
        default_permissions = ()

    def __str__(self) -> str:
        return str(self.seen_until)
