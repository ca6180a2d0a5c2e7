"""A shop of raw documents for the tests of reads: deterministic, skewed, with many equal prices, names and times."""

import random
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

from bson import Decimal128
from pymongo import WriteConcern
from pymongo.database import Database

from catalog.products.derived import derived_fields
from gateway.mongo.client import Document

CATEGORIES: list[dict[str, Any]] = [
    {"_id": "phones", "name": "Телефоны", "path": [], "position": 1},
    {"_id": "smartphones", "name": "Смартфоны", "path": ["phones"], "position": 1},
    {"_id": "keypad-phones", "name": "Кнопочные телефоны", "path": ["phones"], "position": 2},
    {"_id": "audio", "name": "Аудио", "path": [], "position": 2},
    {"_id": "headphones", "name": "Наушники", "path": ["audio"], "position": 1},
    {"_id": "wireless-headphones", "name": "Беспроводные наушники", "path": ["audio", "headphones"], "position": 1},
    {"_id": "wired-headphones", "name": "Проводные наушники", "path": ["audio", "headphones"], "position": 2},
    {"_id": "speakers", "name": "Колонки", "path": ["audio"], "position": 2},
    {"_id": "empty", "name": "Скоро в продаже", "path": [], "position": 9},
]
LEAVES = ("smartphones", "keypad-phones", "wireless-headphones", "wired-headphones", "speakers")
# A few large, many small, as in real shops.
WEIGHTS = (12, 2, 3, 2, 1)
GEOZONES = ("msk", "spb", "ekb", "kzn", "nsk")
BRANDS = ("Samsung", "Apple iPhone", "Xiaomi", "Honor", "Самсунг", "Nokia", "realme")
KINDS = {
    "smartphones": "Смартфон",
    "keypad-phones": "Телефон",
    "wireless-headphones": "Беспроводные наушники",
    "wired-headphones": "Наушники",
    "speakers": "Колонка",
}
COLORS = ("чёрный", "белый", "синий", "зелёный")
PHRASES = (
    "Яркий экран и ёмкий аккумулятор",
    "Быстрая зарядка",
    "Две камеры снимают ночью",
    "Great sound for running",
    "Подходит для iPhone",
    "Чехол в комплекте",
)
START = datetime(2026, 1, 1, tzinfo=UTC)


def product(number: int, chance: random.Random) -> Document:
    category = chance.choices(LEAVES, WEIGHTS)[0]
    brand = chance.choice(BRANDS)
    base = Decimal(chance.randrange(1, 400) * 250 - 10)
    discounted = chance.random() < 0.25
    created = START + timedelta(minutes=chance.randrange(20_000))
    document: Document = {
        "_id": f"PROD-{number:06}",
        "category": category,
        "name": f"{KINDS[category]} {brand} {chance.choice(('A', 'S', 'Pro', 'mini'))}{chance.randrange(10, 40)}",
        "description": ". ".join(chance.sample(PHRASES, chance.randrange(3))),
        "prices": {
            "base": Decimal128(f"{base}.00"),
            "sale": Decimal128(f"{base * 8 / 10:.2f}") if discounted else None,
        },
        "stock": [
            {"geozone": zone, "quantity": chance.randrange(4), "reserved": chance.randrange(2)}
            for zone in chance.sample(GEOZONES, chance.randrange(6))
        ],
        "attributes": {
            "Бренд": brand,
            "Цвет": chance.choice(COLORS),
            "Память": f"{2 ** chance.randrange(5, 10)} ГБ",
            "Гарантия": "1 год",
        },
        # Some have none yet.
        "images": [{"url": f"/images/{number}.svg", "alt": KINDS[category]}] if number % 40 else [],
        "withdrawn": chance.random() < 0.05,
        "created_at": created,
        "updated_at": created,
        "edited_at": created + timedelta(minutes=number % 7_000),
        "edited_by": "",
        "version": 1,
        "synced_version": 0,
    }
    return document | derived_fields(document)


def products(count: int, seed: int = 1) -> list[Document]:
    chance = random.Random(seed)  # noqa: S311 - the same shop every time
    return [product(number, chance) for number in range(count)]


def fill(database: Database[Document], documents: list[Document]) -> None:
    # On every member, because the catalog is read from any of them.
    everywhere = WriteConcern(w=3, wtimeout=60_000)
    database["categories"].with_options(write_concern=everywhere).insert_many(CATEGORIES)
    products = database["products"].with_options(write_concern=everywhere)
    zones = database["geozones"].with_options(write_concern=everywhere)
    zones.insert_many([{"_id": code, "name": code.upper(), "position": 9 - at} for at, code in enumerate(GEOZONES)])
    directory = database["product_directory"].with_options(write_concern=everywhere)
    for start in range(0, len(documents), 2_000):
        part = documents[start : start + 2_000]
        products.insert_many(part, ordered=False)
        directory.insert_many([{"_id": each["_id"], "category": each["category"]} for each in part], ordered=False)
