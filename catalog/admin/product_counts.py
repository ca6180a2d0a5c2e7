"""How many products each category has, for trees that lead to lists of them."""

from asgiref.sync import async_to_sync
from pymongo.errors import PyMongoError

from catalog.listing.facet_cache import remembered_facets
from catalog.listing.facets import category_counts
from gateway import deadline

# How many there are about: a count of every product, which a large shop should not make for each page.
COUNTS_MS = 5 * 60 * 1000
# Beyond this a tree has no counts.
COUNT_SECONDS = 2.0


def products_by_category() -> dict[str, int]:
    """Products by category, as of some minutes ago; none when counting takes too long."""
    try:
        with deadline.within(COUNT_SECONDS):
            facets = async_to_sync(remembered_facets)(category_counts(), milliseconds=COUNTS_MS)
    except PyMongoError:
        return {}
    return {value.value: value.products for facet in facets for value in facet.values}
