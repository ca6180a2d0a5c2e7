"""What is asked of every server: one document per shape, with variables of many values."""

import itertools
import random
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from bench.peers.shop import Card, Shop
from gateway.graphql.relay.ids import global_id

TILE = (
    "id productId name price{amount currency} basePrice{amount currency} discountPercent images{url alt}"
    " stock(geozone:$zone){geozone available}"
)
CARD = (
    "id productId name description category{slug name} price{amount currency} basePrice{amount currency}"
    " discountPercent attributes{name value} images{url alt} stock{geozone available} createdAt updatedAt"
)
ZONES = ("msk", "spb", "ekb")

DOCUMENTS = {
    "page": (
        "query Page($category:String!,$min:Decimal,$zone:String,$after:String){"
        "products(filter:{category:$category,price:{min:$min},inStockIn:$zone},sort:PRICE_ASC,first:24,after:$after)"
        f"{{edges{{cursor node{{{TILE} attributes{{name value}}}}}}pageInfo{{hasNextPage endCursor}}}}}}"
    ),
    "card": f"query Card($id:ID!){{product(id:$id){{{CARD}}}}}",
    "home": (
        "query Home($a:String!,$b:String!,$zone:String,$long:Boolean!){categories{slug name}"
        " hits:products(filter:{category:$a,inStockIn:$zone},sort:PRICE_ASC,first:8){...List}"
        " more:products(filter:{category:$b,inStockIn:$zone},sort:PRICE_ASC,first:8){...List}}"
        " fragment List on ProductConnection{edges{node{...Tile}}pageInfo{hasNextPage}}"
        f" fragment Tile on Product{{{TILE} attributes @include(if:$long){{name value}}}}"
    ),
    "facets": (
        "query Facets($category:String!,$zone:String){products(filter:{category:$category},first:24){"
        f"nodes{{{TILE}}}facets{{name values{{value count}}}}}}}}"
    ),
    "counts": (
        "query Counts($category:String!,$min:Decimal,$zone:String){"
        "products(filter:{category:$category,price:{min:$min}},first:12){"
        f"nodes{{{TILE}}}totalCount priceRange{{min{{amount currency}}max{{amount currency}}}}}}}}"
    ),
    "search": (
        "query Search($text:String!,$zone:String,$first:Int!){"
        "products(filter:{search:$text},sort:RELEVANCE,first:$first){"
        f"edges{{cursor node{{{TILE}}}}}pageInfo{{hasNextPage endCursor}}}}}}"
    ),
    "nodes": (
        "query Nodes($ids:[ID!]!,$zone:String){nodes(ids:$ids){__typename id "
        f"...on Product{{{TILE} description createdAt}}}}}}"
    ),
    "heavy": (
        "query Heavy($a:String!,$b:String!,$c:String!,$x:ID!,$y:ID!,$zone:String,$long:Boolean!,$brief:Boolean!){"
        "roots:categories{...Branch children{...Branch}}"
        " one:products(filter:{category:$a,inStockIn:$zone},first:6){...List}"
        " two:products(filter:{category:$b,inStockIn:$zone},first:6){...List}"
        " three:products(filter:{category:$c},first:6){...List nodes{code:productId title:name ...Prices}}"
        " first:product(id:$x){...Full} second:product(id:$y){...Full}}"
        " fragment Branch on Category{id slug name}"
        " fragment List on ProductConnection{edges{cursor node{...Tile}}pageInfo{...Page}}"
        " fragment Page on PageInfo{hasNextPage endCursor}"
        " fragment Prices on Product{price{amount currency}was:basePrice{amount currency}discountPercent}"
        " fragment Tile on Product{id productId name ...Prices images @skip(if:$brief){url alt}"
        " here:stock(geozone:$zone){available} ...Attributes @include(if:$long)}"
        # Spread nowhere else: graphql-jit would heed the flag there, too.
        " fragment Attributes on Product{attributes{name value}}"
        " fragment Full on Product{id productId name ...Prices images{url alt} description"
        " category{...Branch ancestors{...Branch}} stock{geozone available} attributes{name value} createdAt updatedAt}"
    ),
    "history": (
        "query History{viewer{orders(first:10){edges{cursor node{id number status total{amount currency} createdAt"
        " lines{productId name quantity unitPrice{amount currency} lineTotal{amount currency}}}}"
        "pageInfo{hasNextPage endCursor}}}}"
    ),
}
"""By the name of the shape."""

PERSONAL = {"history"}
"""Shapes whose answers are one person's, and never remembered by a cache of responses."""


def contents(shape: str, shop: Shop, *, seed: int = 7) -> Iterator[dict[str, Any]]:
    """Bodies of requests without end. They seldom repeat themselves, as far as the shape has variables."""
    chance = random.Random(seed)  # noqa: S311 - the same requests in every run
    for number, card in enumerate(itertools.cycle(shop.cards)):
        yield {"query": DOCUMENTS[shape], "variables": _VARIABLES[shape](shop, card, number, chance)}


def _page(_: Shop, card: Card, __: int, chance: random.Random) -> Mapping[str, Any]:
    least = f"{card.price * chance.randint(2_000, 9_000) / 10_000:.2f}"
    return {"category": card.key.category, "min": least, "zone": chance.choice(ZONES)}


def _card(_: Shop, card: Card, __: int, ___: random.Random) -> Mapping[str, Any]:
    return {"id": global_id("Product", *card.key)}


def _home(shop: Shop, card: Card, number: int, chance: random.Random) -> Mapping[str, Any]:
    categories = {"a": card.key.category, "b": chance.choice(shop.leaves)}
    return {**categories, "zone": chance.choice(ZONES), "long": number % 2 == 0}


def _facets(_: Shop, card: Card, __: int, chance: random.Random) -> Mapping[str, Any]:
    return {"category": card.key.category, "zone": chance.choice(ZONES)}


def _search(shop: Shop, _: Card, __: int, chance: random.Random) -> Mapping[str, Any]:
    return {"text": chance.choice(list(shop.searches)), "zone": chance.choice(ZONES), "first": chance.randint(20, 28)}


def _nodes(shop: Shop, _: Card, __: int, chance: random.Random) -> Mapping[str, Any]:
    ids = [global_id("Product", *each.key) for each in chance.sample(shop.cards, 8)]
    return {"ids": ids, "zone": chance.choice(ZONES)}


def _heavy(shop: Shop, card: Card, number: int, chance: random.Random) -> Mapping[str, Any]:
    a, b, c = chance.sample(shop.leaves, 3)
    of_cards = {"x": global_id("Product", *card.key), "y": global_id("Product", *chance.choice(shop.cards).key)}
    flags = {"long": number % 2 == 0, "brief": number % 3 == 0}
    return {"a": a, "b": b, "c": c, **of_cards, "zone": chance.choice(ZONES), **flags}


def _history(*_: object) -> Mapping[str, Any]:
    return {}


_VARIABLES: Mapping[str, Callable[[Shop, Card, int, random.Random], Mapping[str, Any]]] = {
    "page": _page,
    "card": _card,
    "home": _home,
    "facets": _facets,
    "counts": _page,
    "search": _search,
    "nodes": _nodes,
    "heavy": _heavy,
    "history": _history,
}
