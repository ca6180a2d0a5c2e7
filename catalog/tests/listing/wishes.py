"""The shapes of filters that are tested in every sort."""

from decimal import Decimal

from catalog.listing.filters import AnyOf, Wanted
from catalog.search.query import words_asked
from catalog.tests.listing.shop import CATEGORIES

SMARTPHONES = ("smartphones",)
WHITE = AnyOf("Цвет", ("белый",))
DARK = AnyOf("Цвет", ("чёрный", "синий"))
SAMSUNG = AnyOf("Бренд", ("Samsung", "Самсунг"))
EVERY_CATEGORY = tuple(category["_id"] for category in CATEGORIES)

# One category and one condition: a page examines as many keys as it shows, and one more.
EXACT = {
    "category": Wanted(categories=SMARTPHONES),
    "in stock": Wanted(categories=SMARTPHONES, in_stock_in="msk"),
    "one facet": Wanted(categories=SMARTPHONES, attributes=(WHITE,)),
    "discounted": Wanted(categories=SMARTPHONES, discounted=True),
}
# The price range too, where the order is by price.
EXACT_BY_PRICE = {
    "price range": Wanted(categories=SMARTPHONES, price_min=Decimal(20_000), price_max=Decimal("70000.50")),
    "discounted, in a price range": Wanted(
        categories=SMARTPHONES, discounted=True, price_min=Decimal(20_000), price_max=Decimal("70000.50")
    ),
    "price from, in stock": Wanted(categories=SMARTPHONES, price_min=Decimal(20_000), in_stock_in="spb"),
    "price up to, one facet": Wanted(categories=SMARTPHONES, price_max=Decimal(50_000), attributes=(WHITE,)),
}
MERGED = {
    "subcategories": Wanted(categories=("headphones", "wireless-headphones", "wired-headphones")),
    "everything": Wanted(),
    "one of two values": Wanted(categories=SMARTPHONES, attributes=(DARK,)),
    "everything discounted": Wanted(discounted=True),
    "everything in stock": Wanted(in_stock_in="ekb"),
}
CHECKED = {
    "two facets": Wanted(categories=SMARTPHONES, attributes=(DARK, SAMSUNG)),
    "discounted in stock": Wanted(categories=SMARTPHONES, discounted=True, in_stock_in="msk"),
    "discounted of one facet": Wanted(categories=SMARTPHONES, discounted=True, attributes=(DARK,)),
    "facet in stock": Wanted(categories=SMARTPHONES, attributes=(SAMSUNG,), in_stock_in="nsk"),
    "all at once": Wanted(
        categories=("phones", "smartphones", "keypad-phones"),
        price_min=Decimal(5_000),
        price_max=Decimal(90_000),
        in_stock_in="kzn",
        attributes=(DARK, SAMSUNG),
    ),
}
SEARCHES = {
    "one word": Wanted(words=words_asked("айфон")),
    "three words": Wanted(words=words_asked("наушники беспроводные samsung")),
    "words of name and description": Wanted(words=words_asked("iphone комплект")),
    "word in a category": Wanted(categories=("speakers",), words=words_asked("самсунг")),
    "word, discounted": Wanted(discounted=True, words=words_asked("honor")),
    "word with the rest": Wanted(
        categories=SMARTPHONES,
        price_max=Decimal(60_000),
        in_stock_in="msk",
        attributes=(DARK,),
        words=words_asked("honor камера"),
    ),
}
NOTHING = {
    "unknown category": Wanted(categories=()),
    "empty category": Wanted(categories=("empty",)),
    "no values": Wanted(attributes=(AnyOf("Цвет", ()),)),
    "unknown word": Wanted(words=words_asked("холодильник")),
    "range upside down": Wanted(categories=SMARTPHONES, price_min=Decimal(2), price_max=Decimal(1)),
}
LISTED = {**EXACT, **EXACT_BY_PRICE, **MERGED, **CHECKED, **SEARCHES, **NOTHING}
