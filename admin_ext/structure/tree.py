"""The page of the category tree: its branches with counts, what may be done to each, and its words."""

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from django.contrib.admin.utils import quote
from django.urls import reverse

from admin_ext.jobs.links import job_url
from admin_ext.structure.jobs import job_owed
from admin_ext.structure.reading import StaffTree
from catalog.admin.product_counts import products_by_category
from catalog.structure.category_tree import CategoryNode
from gateway.domain.texts import Text
from gateway.staff.language import said

WORDS = {
    "add": Text("Новая категория", "New category"),
    "add_below": Text("Добавить внутрь", "Add inside"),
    "find": Text("Найти категорию", "Find a category"),
    "open_all": Text("Развернуть все", "Open all"),
    "close_all": Text("Свернуть все", "Close all"),
    "hint": Text(
        "Тяните категорию за ручку: на край строки — рядом, на середину — внутрь. Вместе с ней переедет всё, что ниже.",
        "Drag a category by its handle: to the edge of a row, beside it; to the middle, inside. All below goes along.",
    ),
    "empty": Text("Категорий пока нет", "There are no categories yet"),
    "empty_hint": Text(
        "Добавьте первую: товары заводятся только в категориях.", "Add the first: products live in categories."
    ),
    "toggle": Text("Свернуть или развернуть", "Open or close"),
    "drag": Text("Перетащить", "Drag"),
    "up": Text("Выше", "Up"),
    "down": Text("Ниже", "Down"),
    "more": Text("Действия", "Actions"),
    "rename": Text("Переименовать", "Rename"),
    "new_name": Text("Новое название", "New name"),
    "save": Text("Сохранить", "Save"),
    "hide": Text("Скрыть от покупателей", "Hide from buyers"),
    "show": Text("Показать покупателям", "Show to buyers"),
    "open": Text("Открыть", "Open"),
    "delete": Text("Удалить", "Delete"),
    "history": Text("История", "History"),
    "products": Text("Товаров", "Products"),
    "hidden": Text("скрыта", "hidden"),
    "hidden_above": Text("скрыта вместе с разделом", "hidden with the one above"),
    "low_at": Text("мало — от", "low from"),
    "attributes": Text("характеристик", "attributes"),
    "merging": Text("объединяется с", "being merged into"),
    "failed": Text("Не удалось сохранить: проверьте связь.", "Not saved: check the connection."),
}


class Branch(NamedTuple):
    """A category in the tree."""

    slug: str
    name: str
    products: int | None
    """In it and below it; None: not known."""
    products_url: str
    url: str
    delete_url: str
    history_url: str
    add_url: str
    standing: str
    """Where it stands, as JSON that comes back with a move."""
    up: str
    """What moves it before its neighbour, as the page sends it; empty: it is the first."""
    down: str
    visibility: str
    """What hides or shows it."""
    is_hidden: bool
    is_hidden_above: bool
    low_at: int | None
    attributes: int
    merging_into: str
    """The name of the category that it is taken into; empty: none."""
    job_url: str
    dialogs: list[Any]
    branches: list["Branch"]


class TreePage:
    """Makes the branches of one page."""

    def __init__(self, seen: StaffTree, model_admin: Any, request: Any) -> None:
        self._seen, self._admin, self._request = seen, model_admin, request
        self._counts: Mapping[str, int] = products_by_category()
        self._listed = reverse("admin:catalog_product_changelist")
        self._add = reverse("admin:catalog_category_add")

    def branches(self, parent: str | None = None) -> list[Branch]:
        siblings = self._seen.tree.children(parent)
        return [self._branch(node, siblings, index) for index, node in enumerate(siblings)]

    def _branch(self, node: CategoryNode, siblings: list[CategoryNode], index: int) -> Branch:
        document = self._seen.documents[node.slug]
        below = self.branches(node.slug)
        counted = self._counts.get(node.slug, 0) + sum(each.products or 0 for each in below)
        merging = document.get("merging")
        into = self._seen.tree.get(merging["into"]) if merging else None
        job = job_owed(merging) if merging else None
        after_next = siblings[index + 2].slug if index + 2 < len(siblings) else ""
        return Branch(
            slug=node.slug,
            name=node.name,
            products=counted if self._counts else None,
            products_url=f"{self._listed}?category={node.slug}",
            url=_page("change", node.slug),
            delete_url=_page("delete", node.slug),
            history_url=_page("history", node.slug),
            add_url=f"{self._add}?parent={node.slug}",
            standing=json.dumps(self._seen.standing(node.slug)._asdict()),
            up=self._placed(node, siblings[index - 1].slug) if index else "",
            down=self._placed(node, after_next) if index + 1 < len(siblings) else "",
            visibility=json.dumps({"do": "show" if node.hidden else "hide", "slug": node.slug}),
            is_hidden=node.hidden,
            is_hidden_above=not node.hidden and node.slug in self._seen.tree.hidden,
            low_at=node.low_at,
            attributes=len(node.attributes),
            merging_into=(into.name if into else merging["into"]) if merging else "",
            job_url=job_url(job) if job else "",
            dialogs=self._admin.dialog_links(self._request, node.slug, document),
            branches=below,
        )

    def _placed(self, node: CategoryNode, before: str) -> str:
        asked = {"do": "place", "slug": node.slug, "parent": node.parent or "", "before": before}
        return json.dumps({**asked, **self._seen.standing(node.slug)._asdict()})


def words() -> dict[str, str]:
    """The words of the page, in the language of the member of staff."""
    return {name: said(text) for name, text in WORDS.items()}


def _page(name: str, slug: str) -> str:
    return reverse(f"admin:catalog_category_{name}", args=[quote(slug)])
