"""From how many pieces on the products of a category run low: its own threshold, or that of the nearest above it.

Each product has a copy, so that every write of stock tells by itself what runs low (catalog/products/derived.py).
"""

from catalog.products.derived import DEFAULT_LOW_AT
from catalog.structure.category_tree import CategoryNode, CategoryTree, whole_tree
from gateway.mongo.reads import run


def threshold_of(tree: CategoryTree, node: CategoryNode) -> int:
    """The threshold that products of the category have."""
    own = (each.low_at for each in reversed((*tree.ancestors(node), node)))
    return next((low_at for low_at in own if low_at is not None), DEFAULT_LOW_AT)


def all_thresholds() -> dict[str, int]:
    """The threshold of every category, read anew."""
    tree = run(whole_tree())
    return {slug: threshold_of(tree, node) for slug, node in tree.nodes.items()}
