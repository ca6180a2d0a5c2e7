"""The copy of active carts in Cassandra."""

from datetime import timedelta

from gateway.cassandra.statements import Consistency
from gateway.cassandra.table import Table, UserType, time_windows

CART_LINE = UserType(
    "cart_line",
    {"product_id": "text", "category": "text", "name": "text", "quantity": "int", "price_seen": "decimal"},
)

CARTS_ACTIVE = Table(
    name="carts_active",
    kind="carts",
    serves="the cart of an owner, to restore it when its document is lost",
    columns={
        "owner": "text",
        "cart_id": "text",
        "user_id": "text",
        "geozone": "text",
        "items": "frozen<list<frozen<cart_line>>>",
        "version": "bigint",
        "created_at": "timestamp",
        "updated_at": "timestamp",
        "expires_at": "timestamp",
    },
    partition_key=("owner",),
    types=(CART_LINE,),
    ttl=timedelta(hours=24),
    compaction=time_windows(days=1),
    write_at=Consistency.LOCAL_QUORUM,
    read_at=Consistency.LOCAL_ONE,
    read_repair="NONE",
    repaired_nightly=False,
    versioned=True,
)

TABLES = (CARTS_ACTIVE,)
