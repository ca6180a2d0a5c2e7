"""What buyers searched for and did not find: the most frequent first, each a step from becoming a synonym."""

from datetime import UTC, datetime, timedelta
from typing import Any, ClassVar
from urllib.parse import urlencode

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from catalog.search.misses import Miss, most_missed
from catalog.search_models import SearchMiss
from gateway.domain.texts import Text
from gateway.mongo.reads import run
from gateway.paging import Page, Placed, Position, Slice
from gateway.staff.language import said
from gateway.staff.lists import Asked, Choice, PagedByKey
from gateway.staff.read_only import ReadOnlyAdmin
from gateway.staff.titles import Titles

ADD_SYNONYMS = "catalog.add_synonymgroup"
USUAL_PERIOD = "30"
PERIODS = {
    "7": Text("за неделю", "within a week"),
    USUAL_PERIOD: Text("за месяц", "within a month"),
    "90": Text("за три месяца", "within three months"),
}
MAKE = Text("Сделать синонимом", "Make it a synonym")
HINT = Text(
    "Слова, по которым покупатели ничего не нашли, — самые частые первыми. Если товар есть под другим названием, "
    "сделайте слово его синонимом; если нет — это спрос. Кто искал, не хранится.",
    "Words by which buyers found nothing, the most frequent first. If there is such a product under another name, make "
    "the word a synonym; if not, it is demand. Who searched is not kept.",
)
NONE_YET = Text(
    "За это время ничего не записано. Список начнёт заполняться, когда поиск витрины станет считать такие запросы.",
    "Nothing is recorded for this time. The list fills once the storefront's search counts such queries.",
)


class PeriodFilter(Choice):
    title = "период"
    parameter_name = "days"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(days, said(text)) for days, text in PERIODS.items()]


@admin.register(SearchMiss)
class SearchMissAdmin(PagedByKey, ReadOnlyAdmin):
    titles = Titles(
        several=Text("Искали и не нашли", "Searched, not found"), one=Text("Искали и не нашли", "Searched, not found")
    )
    list_display = ("text", "count", "shown_day", "make_synonym")
    list_display_links = None
    list_filter: ClassVar[tuple[Any, ...]] = (PeriodFilter,)
    list_before_template = "catalog/admin/misses.html"

    def page(self, request: HttpRequest, part: Slice, asked: Asked) -> Page[dict[str, Any]]:
        """All of the period in one page: the read is capped."""
        days = int(asked.filters.get(PeriodFilter.parameter_name, USUAL_PERIOD))
        today = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
        may_add = request.user.has_perm(ADD_SYNONYMS)  # type: ignore[union-attr]
        found = run(most_missed(today - timedelta(days=days - 1)))
        return Page([_placed(miss, may_add) for miss in found], has_next=False, has_previous=False)

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        words = {"hint": said(HINT), "none_yet": said(NONE_YET)}
        return super().changelist_view(request, {"words": words, **(extra_context or {})})

    @admin.display(description="последний раз")
    def shown_day(self, row: Any) -> str:
        return f"{row.document['day']:%d.%m.%Y}"

    @admin.display(description="что сделать")
    def make_synonym(self, row: Any) -> SafeString | str:
        if not row.document["may_add"]:
            return "—"
        address = f"{reverse('admin:catalog_synonymgroup_add')}?{urlencode({'words': row.text})}"
        return format_html('<a class="text-primary-600 dark:text-primary-500" href="{}">{}</a>', address, said(MAKE))


def _placed(miss: Miss, may_add: bool) -> Placed[dict[str, Any]]:
    document = {"_id": miss.text, "text": miss.text, "count": miss.times, "day": miss.last_day, "may_add": may_add}
    return Placed(document, Position(miss.times, miss.text))
