"""Paging through large collections at the cost of what is shown, not of what there is."""

from functools import cached_property
from typing import Any, cast

from django.core.paginator import Paginator
from django.db.models import QuerySet

from gateway.mongo.client import database

# A later page is reached by skipping all before it; whoever looks deeper than this wants a filter, not a page.
DEEPEST = 10_000


class BoundedPaginator(Paginator):
    """Counts no further than `DEEPEST`: the whole collection by its metadata, a filtered part by reading so many."""

    @cached_property
    def count(self) -> int:
        listed = cast("QuerySet[Any]", self.object_list)
        if listed.query.is_empty():
            return 0
        if not listed.query.where:
            return min(DEEPEST, database()[listed.model._meta.db_table].estimated_document_count())
        return listed.order_by()[:DEEPEST].count()
