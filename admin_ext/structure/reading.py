"""The category tree as those who edit it see it: as it is now, with what buyers are never told."""

from collections.abc import Sequence
from typing import NamedTuple

from catalog.documents import CategoryDocument
from catalog.structure.branches import Standing
from catalog.structure.category_tree import CATEGORIES_COLLECTION, CategoryNode, CategoryTree, tree_of
from gateway.mongo.policies import STAFF_LIST
from gateway.mongo.reads import Read


class StaffTree(NamedTuple):
    tree: CategoryTree
    documents: dict[str, CategoryDocument]

    def standing(self, slug: str) -> Standing:
        document = self.documents[slug]
        return Standing(tuple(document["path"]), document["position"])

    def path_text(self, node: CategoryNode) -> str:
        """The category with the names of those above it."""
        return " / ".join(each.name for each in (*self.tree.ancestors(node), node))

    def choices(self, *, without: str) -> list[tuple[str, str]]:
        """Every category outside of this branch, in the order of the tree."""
        within = self.tree.within(without)
        return [(node.slug, self.path_text(node)) for node in self._in_order(None) if node.slug not in within]

    def _in_order(self, parent: str | None) -> list[CategoryNode]:
        return [each for node in self.tree.children(parent) for each in (node, *self._in_order(node.slug))]


def staff_tree() -> Read[StaffTree]:
    """All categories, from the primary: the collection is small and not sharded."""
    return Read(
        collection=CATEGORIES_COLLECTION,
        policy=STAFF_LIST,
        where={},
        sort=(("position", 1), ("_id", 1)),
        result=_staff_tree,
    )


def _staff_tree(documents: Sequence[CategoryDocument]) -> StaffTree:
    return StaffTree(tree_of(documents), {each["_id"]: each for each in documents})  # type: ignore[arg-type]
