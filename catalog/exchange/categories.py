"""Categories as people name them in a sheet: by slug, by name, or by path."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from catalog.errors import NotALeaf, UnknownCategory
from catalog.exchange.errors import AmbiguousCategory
from catalog.structure.category_tree import CategoryTree

BETWEEN = " > "


@dataclass(frozen=True)
class CategoryNames:
    """The tree of categories, by what its leaves may be called."""

    tree: CategoryTree
    _labels: dict[str, str] = field(default_factory=dict)

    def slug_of(self, named: str) -> str:
        """The slug of the leaf that is meant. Raises DomainError when none is, or several are."""
        text = named.strip()
        slugs = [text] if text in self.tree.nodes else self._by_name.get(_folded(text), [])
        leaves = [slug for slug in slugs if not self.tree.children(slug)]
        if len(leaves) > 1:
            raise AmbiguousCategory("category", category=text, example=self.path_of(leaves[0]))
        if leaves:
            return leaves[0]
        raise NotALeaf("category", category=text) if slugs else UnknownCategory("category", category=text)

    def label_of(self, slug: str) -> str:
        """What the category is called in a sheet: its path, where that is clear."""
        if slug not in self._labels:
            path = self.path_of(slug)
            self._labels[slug] = path if self._by_name.get(_folded(path)) == [slug] else slug
        return self._labels[slug]

    def path_of(self, slug: str) -> str:
        node = self.tree.get(slug)
        return BETWEEN.join(each.name for each in (*self.tree.ancestors(node), node)) if node else slug

    @cached_property
    def _by_name(self) -> Mapping[str, list[str]]:
        found: dict[str, list[str]] = defaultdict(list)
        for node in self.tree.nodes.values():
            for name in {_folded(node.name), _folded(self.path_of(node.slug))}:
                found[name].append(node.slug)
        return found


def _folded(name: str) -> str:
    """A name without case and spaces; a path may be written with any of the usual signs between its parts."""
    return BETWEEN.join(" ".join(part.split()) for part in name.replace("→", ">").split(">")).casefold()
