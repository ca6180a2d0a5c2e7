"""The history of one product: every change old → new, who and from where, and the way back where there is one."""

from typing import Any, NamedTuple

from django.http import QueryDict

from catalog.admin.product.dialog import product_page
from catalog.admin.product.take_back import TakeBack, may_take_back
from catalog.changes.undo import changed_values
from gateway.accounts.models import User
from gateway.audit.documents import AuditEntryDocument
from gateway.audit.lines import Line, lines_of
from gateway.audit.links import audit_url
from gateway.audit.paging import address_beyond, newest_address, part_asked
from gateway.audit.reading import Sought, entries
from gateway.domain.texts import Text
from gateway.mongo.reads import run
from gateway.staff.language import said

PAGE_SIZE = 30
WORDS = {
    "take_back": Text("Вернуть", "Take back"),
    "take_back_this": Text("Вернуть, как было до {moment}", "Take back to what it was before {moment}"),
    "nothing": Text("Изменений нет.", "There are no changes."),
    "reason": Text("Причина", "Reason"),
    "newer": Text("Новее", "Newer"),
    "older": Text("Старше", "Older"),
    "newest": Text("К последним", "To the newest"),
    "whole_trail": Text("В журнале изменений", "In the audit trail"),
    "step": Text("всё в этом шаге", "all of this step"),
}


class Told(NamedTuple):
    """A change in words."""

    line: Line
    take_back_url: str
    """Empty: it cannot be taken back, or not by this person."""


def history_page(product_id: str, query: QueryDict, user: User) -> dict[str, Any]:
    """The context of the page: one part of the trail, newest first."""
    page = run(entries(Sought(target=f"product:{product_id}"), part_asked(query, PAGE_SIZE)))
    lines = lines_of([_spelled(entry) for entry in page.documents], reader=user)
    return {
        "words": {name: said(text, moment="") for name, text in WORDS.items()},
        "labels": {"reason": said(WORDS["reason"])},
        "changes": [Told(line, _take_back_url(entry, user)) for entry, line in zip(page.documents, lines, strict=True)],
        "newer_url": address_beyond(query, page.placed[:1], "before") if page.has_previous else "",
        "older_url": address_beyond(query, page.placed[-1:], "after") if page.has_next else "",
        "newest_url": newest_address(query),
        "trail_url": audit_url(f"product:{product_id}"),
    }


def _spelled(entry: AuditEntryDocument) -> AuditEntryDocument:
    """The entry with a change for each attribute, instead of all attributes before and after."""
    if "attributes" not in entry["changes"]:
        return entry
    return {**entry, "changes": {name: list(pair) for name, pair in changed_values(entry).items()}}


def _take_back_url(entry: AuditEntryDocument, user: User) -> str:
    if not may_take_back(entry, user):
        return ""
    product_id = entry["target"].removeprefix("product:")
    return f"{product_page(TakeBack.name, product_id)}?entry={entry['_id']}"
