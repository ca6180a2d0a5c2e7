"""What was selected, as pages say it before they do something to it."""

from typing import Any
from urllib.parse import urlencode

from django.urls import reverse

from admin_ext.bulk.words import selection_words
from admin_ext.jobs.pages.words import number_text
from catalog.listing.selection import Selection
from gateway.domain.texts import Text
from gateway.staff.language import said

MANY = Text("очень много", "very many")


def selected(selection: Selection, number: int | None) -> dict[str, Any]:
    """The part of a page's context that tells of the selection, and the way back to its list.

    `number`: how many there are; None: more than can be counted while a person waits.
    """
    query = {**selection.filters, **({"q": selection.search} if selection.search else {})}
    listed = reverse("admin:catalog_product_changelist")
    return {
        "number": said(MANY) if number is None else number_text(number),
        "is_empty": number == 0,
        "is_everything": not selection.ids and not query,
        "selection": selection_words(selection),
        "list_url": f"{listed}?{urlencode(query)}" if query else listed,
    }
