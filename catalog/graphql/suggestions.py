"""What is suggested while somebody types: queries, categories and products that there are."""

from collections.abc import Iterator, Sequence
from itertools import islice

import strawberry

from catalog.cassandra.pages import refuse_search
from catalog.documents import ProductDocument
from catalog.graphql.arguments import TOO_LONG, ProductFilter, check_geozone, wanted_by
from catalog.graphql.types import Category, Product
from catalog.listing.pages import Sort
from catalog.listing.searches import search
from catalog.search import alternatives
from catalog.search.alternatives import Synonyms
from catalog.search.completions import completed
from catalog.search.current import current_lexicon
from catalog.search.query import MAX_QUERY
from catalog.search.readings import readings
from catalog.search.vocabulary import memory
from catalog.search.words import stem, words_in
from catalog.structure.category_tree import CATEGORIES, CategoryNode, CategoryTree
from gateway.domain.texts import Text
from gateway.fallback import served
from gateway.graphql.inputs import BadInput
from gateway.mongo.reads import run_steps_async
from gateway.paging import Slice

# More do not fit below a search box.
MAX_SUGGESTED = 10
BAD_FIRST = Text("first: от 1 до {maximum}, а не {value}.", "first: from 1 to {maximum}, not {value}.")
# Of several words the most frequent ending need not go with those before it: so many are tried.
TRIED = 3


@strawberry.type(description="For the list below a search box. Whatever is in it exists and is for sale.")
class Suggestions:
    queries: list[str] = strawberry.field(description="Completed and corrected, best first.")
    categories: list[Category] = strawberry.field(description="Whose name is what is being typed.")
    products: list[Product] = strawberry.field(description="Found by the best completion, most relevant first.")


async def suggestions(query: str, geozone: str | None, first: int, fields: Sequence[str]) -> Suggestions:
    """At most `first` of each kind; none of any for a query without words. One page is read, seldom more."""
    if not 1 <= first <= MAX_SUGGESTED:
        raise BadInput(BAD_FIRST, maximum=MAX_SUGGESTED, value=first)
    if len(query) > MAX_QUERY:
        raise BadInput(TOO_LONG, maximum=MAX_QUERY)
    tree = await CATEGORIES.get_async()
    candidates = completed(query, await memory.current())
    if not candidates:
        return Suggestions(queries=[], categories=[], products=[])
    is_one_word = " " not in candidates[0]
    read = tuple(dict.fromkeys((*fields, "name")))
    found: list[ProductDocument] = []
    queries = list(candidates) if is_one_word else []
    for candidate in candidates[: 1 if is_one_word else TRIED]:
        if found := await _products(candidate, geozone, first, tree, read):
            queries = queries or [candidate]
            break
    if not found:
        await check_geozone(geozone)
    queries += [each["name"].partition(",")[0] for each in found]
    named = _categories(candidates, await alternatives.current(), tree.shown)
    return Suggestions(
        queries=list(dict.fromkeys(queries))[:first],
        categories=[Category(category=node, tree=tree.shown) for node in named[:first]],
        products=[Product(document=document) for document in found],
    )


async def _products(
    query: str, geozone: str | None, first: int, tree: CategoryTree, fields: tuple[str, ...]
) -> list[ProductDocument]:
    """Those that have all the words of the query."""
    wanted = wanted_by(ProductFilter(search=query, in_stock_in=geozone), tree)
    lexicon = await current_lexicon(tree.names_shown)
    whole = islice(readings(query, lexicon), 1)
    every_category = tuple(tree.shown.nodes)
    found = await served(
        lambda: run_steps_async(
            search(wanted, whole, Sort.RELEVANCE, Slice(first), every_category=every_category, fields=fields)
        ),
        refuse_search,
    )
    return list(found.page.documents)


def _categories(queries: Sequence[str], synonyms: Synonyms, shown: CategoryTree) -> list[CategoryNode]:
    """Those whose names have all words of a query, or of what it may be called instead; by the order of the queries."""
    names = [(node, {stem(word) for word in words_in(node.name)}) for node in shown.nodes.values()]
    found = {node.slug: node for stems in _stems(queries, synonyms) for node, name in names if stems <= name}
    return list(found.values())


def _stems(queries: Sequence[str], synonyms: Synonyms) -> Iterator[set[str]]:
    for query in queries:
        words = tuple(query.split())
        for phrase in (words, *synonyms.alternatives(words)):
            yield {stem(word) for word in phrase}
