"""Products in Cassandra: the card, the regional pages and the stock that are shown while MongoDB is away."""

from gateway.cassandra.statements import Consistency
from gateway.cassandra.table import Table, UserType

ANYWHERE = "*"
"""The region in which every product on sale stands, whether or not there is any of it."""

PRICES = UserType("product_prices", {"base": "decimal", "sale": "decimal"})
STOCK_LEVEL = UserType("product_stock_level", {"geozone": "text", "quantity": "int", "reserved": "int"})
ATTRIBUTE = UserType("product_attribute", {"name": "text", "value": "text"})
IMAGE = UserType("product_image", {"url": "text", "alt": "text"})

PRODUCT_BY_ID = Table(
    name="product_by_id",
    kind="catalog",
    serves="a product's card while MongoDB is away",
    columns={
        "product_id": "text",
        "category": "text",
        "name": "text",
        "description": "text",
        "prices": "frozen<product_prices>",
        "price": "decimal",
        # Lists rather than maps: a card shows them in the order that merchandisers gave them.
        "attributes": "frozen<list<frozen<product_attribute>>>",
        "images": "frozen<list<frozen<product_image>>>",
        "stock": "frozen<list<frozen<product_stock_level>>>",
        "created_at": "timestamp",
        "updated_at": "timestamp",
        "version": "bigint",
    },
    partition_key=("product_id",),
    types=(PRICES, STOCK_LEVEL, ATTRIBUTE, IMAGE),
    write_at=Consistency.LOCAL_ONE,
    read_at=Consistency.LOCAL_ONE,
    read_repair="NONE",
    repaired_nightly=True,
    versioned=True,
)

INVENTORY_BY_PRODUCT_GEO = Table(
    name="inventory_by_product_geo",
    kind="catalog",
    serves="a product's stock by geozone, for display only: the truth is in MongoDB",
    columns={
        "product_id": "text",
        "geozone": "text",
        "position": "int",
        "quantity": "int",
        "reserved": "int",
        "version": "bigint",
    },
    partition_key=("product_id",),
    clustering={"geozone": "ASC"},
    write_at=Consistency.LOCAL_ONE,
    read_at=Consistency.LOCAL_ONE,
    read_repair="NONE",
    repaired_nightly=True,
    versioned=True,
)

PRODUCTS_CACHE_BY_REGION = Table(
    name="products_cache_by_region",
    kind="catalog",
    serves="a category's products that a region has, in the order of price; large categories have several buckets",
    columns={
        "region": "text",
        "category": "text",
        "bucket": "int",
        "price": "decimal",
        "product_id": "text",
        "name": "text",
        "version": "bigint",
    },
    partition_key=("region", "category", "bucket"),
    clustering={"price": "ASC", "product_id": "ASC"},
    write_at=Consistency.LOCAL_ONE,
    read_at=Consistency.LOCAL_ONE,
    read_repair="NONE",
    repaired_nightly=True,
    versioned=True,
    sampled=1.0,
)

STRUCTURE_PART = UserType(
    "structure_part", {"code": "text", "name": "text", "path": "frozen<list<text>>", "hidden": "boolean"}
)

SHOP_STRUCTURE = Table(
    name="shop_structure",
    kind="catalog",
    serves="the category tree and the geozones, for a process that starts while MongoDB is away",
    columns={
        "part": "text",
        # All in one value, so that a reader sees one state of the tree and nothing has to be deleted.
        "items": "frozen<list<frozen<structure_part>>>",
    },
    partition_key=("part",),
    types=(STRUCTURE_PART,),
    write_at=Consistency.LOCAL_ONE,
    read_at=Consistency.LOCAL_ONE,
    read_repair="NONE",
    repaired_nightly=True,
    versioned=True,
)

PRODUCT_TABLES = (PRODUCT_BY_ID, INVENTORY_BY_PRODUCT_GEO, PRODUCTS_CACHE_BY_REGION)
TABLES = (*PRODUCT_TABLES, SHOP_STRUCTURE)
