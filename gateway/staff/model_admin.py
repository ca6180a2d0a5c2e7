"""What every page of staff about a model has in common."""

from typing import ClassVar

from django.core.paginator import Paginator

from gateway.staff.history import LeadsToAudit
from gateway.staff.labels import Labelled
from gateway.staff.pages import BoundedPaginator
from gateway.staff.titles import Titled


class StaffAdmin(Titled, Labelled, LeadsToAudit):
    """A list that never counts or sorts a whole collection, and forms that do not lose what was typed."""

    paginator: ClassVar[type[Paginator]] = BoundedPaginator
    show_full_result_count = False
    # Only orders that an index gives; a page names those it has.
    sortable_by: ClassVar[list[str] | tuple[str, ...] | None] = ()
    list_per_page = 50
    warn_unsaved_form = True
