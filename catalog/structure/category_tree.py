"""The category tree: small, so that a process reads it whole and remembers it as long as the policy allows.

While MongoDB is away it is remembered however old it is; a process that never read it takes the copy in Cassandra.
"""

import asyncio
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from catalog.cassandra.structure import copied
from catalog.documents import AttributeDocument, StructurePart
from catalog.models import Category
from gateway.fallback import served
from gateway.mongo.policies import CATALOG_LIST, note_policy
from gateway.mongo.reads import Read, Steps, run, run_async

CATEGORIES_COLLECTION = Category._meta.db_table

# Half of what the policy allows: the tree may be as old as this, and its answer be cached as long again.
REMEMBER_SECONDS = 15.0
# A tree as young as this is believed that it lacks a category.
UNKNOWN_SECONDS = 1.0


class CategoryNode(NamedTuple):
    slug: str
    name: str
    path: tuple[str, ...]
    """Slugs from the root down to the parent."""
    low_at: int | None = None
    """Its own threshold of low stock, if it has one."""
    hidden: bool = False
    """Itself; one that is in a hidden category is not shown either."""
    attributes: tuple[AttributeDocument, ...] = ()
    """Its own; `attributes_of` adds those of the categories above it."""

    @property
    def parent(self) -> str | None:
        return self.path[-1] if self.path else None


@dataclass(frozen=True)
class CategoryTree:
    nodes: dict[str, CategoryNode] = field(default_factory=dict)
    """Categories by slug, in the order that merchandisers gave them."""

    @cached_property
    def _children(self) -> dict[str | None, list[CategoryNode]]:
        children: dict[str | None, list[CategoryNode]] = {}
        for node in self.nodes.values():
            children.setdefault(node.parent, []).append(node)
        return children

    def get(self, slug: str) -> CategoryNode | None:
        return self.nodes.get(slug)

    def children(self, slug: str | None) -> list[CategoryNode]:
        """The categories right below this one; the roots for None."""
        return self._children.get(slug, [])

    def ancestors(self, node: CategoryNode) -> list[CategoryNode]:
        return [self.nodes[slug] for slug in node.path if slug in self.nodes]

    def within(self, slug: str) -> tuple[str, ...]:
        """The category and all below it: one that has just been divided still holds products of its own."""
        return tuple(self._walk(slug)) if slug in self.nodes else ()

    @cached_property
    def hidden(self) -> frozenset[str]:
        """Slugs of the categories that buyers are not shown: the hidden ones with all that is below them."""
        return frozenset(
            slug
            for slug, node in self.nodes.items()
            if node.hidden or any(self.nodes[above].hidden for above in node.path if above in self.nodes)
        )

    @cached_property
    def shown(self) -> "CategoryTree":
        """The tree as buyers are shown it."""
        if not self.hidden:
            return self
        return CategoryTree({slug: node for slug, node in self.nodes.items() if slug not in self.hidden})

    @cached_property
    def names_shown(self) -> dict[str, tuple[str, ...]]:
        """By slug, for each category that buyers are shown, its name and those of the categories above it."""
        shown = self.shown
        return {slug: tuple(each.name for each in (*shown.ancestors(node), node)) for slug, node in shown.nodes.items()}

    def _walk(self, slug: str) -> Iterator[str]:
        yield slug
        for child in self.children(slug):
            yield from self._walk(child.slug)


def whole_tree() -> Read[CategoryTree]:
    """All categories: the collection is small and not sharded."""
    return Read(
        collection=CATEGORIES_COLLECTION,
        policy=CATALOG_LIST,
        where={},
        sort=(("position", 1), ("_id", 1)),
        result=tree_of,
    )


def tree_of(documents: Sequence[StructurePart]) -> CategoryTree:
    """The tree of these documents, in their order."""
    return CategoryTree(
        {
            document["_id"]: CategoryNode(
                document["_id"],
                document["name"],
                tuple(document.get("path") or ()),
                document.get("low_at"),
                document.get("hidden", False),
                tuple(document.get("attributes") or ()),
            )
            for document in documents
        }
    )


class RememberedTree:
    """The tree as this process last read it. Many fields that ask at once cause one read."""

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        """Read it anew next time, after a change by this process; others see that when their memory ends."""
        self._tree: CategoryTree | None = None
        self._read_at = float("-inf")
        self._reading: asyncio.Task[CategoryTree] | None = None

    def steps(self) -> Steps[CategoryTree]:
        """The tree for reads in steps: one read more, where it is not remembered."""
        if (known := self._known()) is not None:
            return known
        return self._remember((yield whole_tree()))

    def get(self) -> CategoryTree:
        if (known := self._known()) is not None:
            return known
        return self._remember(run(whole_tree()))

    async def get_async(self) -> CategoryTree:
        if (known := self._known()) is not None:
            return known
        return await served(self._read_together, self._old_or_copied)

    async def knowing(self, slug: str) -> CategoryTree:
        """The tree, read anew if it lacks this category, which may be younger than the memory.

        Once a second at most: anybody may ask for what has never been.
        """
        tree = await self.get_async()
        if tree.get(slug) is not None or time.monotonic() - self._read_at < UNKNOWN_SECONDS:
            return tree
        return await served(self._read_together, self._old_or_copied)

    async def _read_together(self) -> CategoryTree:
        reading = self._reading
        if reading is None or reading.done() or reading.get_loop() is not asyncio.get_running_loop():
            reading = self._reading = asyncio.create_task(self._read_async())
        # A field that is cancelled must not take the tree away from the others.
        return await asyncio.shield(reading)

    async def _read_async(self) -> CategoryTree:
        return self._remember(await run_async(whole_tree()))

    async def _old_or_copied(self) -> CategoryTree:
        # Without a time: it is good for as long as MongoDB cannot tell, and no longer.
        self._tree = self._tree or tree_of(await copied(CATEGORIES_COLLECTION))
        return self._tree

    def _known(self) -> CategoryTree | None:
        note_policy(CATALOG_LIST)
        return self._tree if time.monotonic() - self._read_at < REMEMBER_SECONDS else None

    def _remember(self, tree: CategoryTree) -> CategoryTree:
        self._tree, self._read_at = tree, time.monotonic()
        return tree


CATEGORIES = RememberedTree()


async def is_shown(category: str) -> bool:
    """Whether buyers see the products of this category; those of one that is younger than the memory, they do."""
    return category not in (await CATEGORIES.get_async()).hidden
