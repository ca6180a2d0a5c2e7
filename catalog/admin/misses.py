"""What buyers searched for and did not find: the most frequent first, each a step from becoming a synonym."""

from datetime import UTC, datetime, timedelta
from typing import Any, ClassVar
from urllib.parse import urlencode

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from catalog.search.misses import Miss, Outcome, most_missed
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
OUTCOMES = {
    Outcome.NOTHING: Text("ничего не нашлось", "nothing was found"),
    Outcome.CORRECTED: Text("исправлено", "corrected"),
    Outcome.LEFT_OUT: Text("слова отброшены", "words left out"),
}
HINT = Text(
    "Запросы, по которым не нашлось набранного, — самые частые первыми. Если товар есть под другим названием, "
    "сделайте слово его синонимом; если нет — это спрос. Кто искал, не хранится.",
    "Searches that did not find what was typed, the most frequent first. If there is such a product under another "
    "name, make the word a synonym; if not, it is demand. Who searched is not kept.",
)
NONE_YET = Text(
    "За это время таких запросов не было: всё, что искали, нашлось.",
    "There were no such searches in this time: whatever was searched for was found.",
)


class OutcomeFilter(Choice):
    title = "что вышло"
    parameter_name = "outcome"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(outcome.value, said(text)) for outcome, text in OUTCOMES.items()]


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
    list_display = ("text", "count", "shown_outcome", "shown_day", "make_synonym")
    list_display_links = None
    list_filter: ClassVar[tuple[Any, ...]] = (OutcomeFilter, PeriodFilter)
    list_before_template = "catalog/admin/misses.html"

    def page(self, request: HttpRequest, part: Slice, asked: Asked) -> Page[dict[str, Any]]:
        """All of the period in one page: the read is capped."""
        days = int(asked.filters.get(PeriodFilter.parameter_name, USUAL_PERIOD))
        today = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
        may_add = request.user.has_perm(ADD_SYNONYMS)  # type: ignore[union-attr]
        outcome = asked.filters.get(OutcomeFilter.parameter_name)
        found = run(most_missed(today - timedelta(days=days - 1), Outcome(outcome) if outcome else None))
        return Page([_placed(miss, may_add) for miss in found], has_next=False, has_previous=False)

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        words = {"hint": said(HINT), "none_yet": said(NONE_YET)}
        return super().changelist_view(request, {"words": words, **(extra_context or {})})

    @admin.display(description="что вышло")
    def shown_outcome(self, row: Any) -> str:
        outcome, instead = said(OUTCOMES[row.document["outcome"]]), row.document["instead"]
        return f"{outcome}: {instead}" if instead else outcome

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
    document = {
        "_id": f"{miss.outcome.value}:{miss.text}",
        "text": miss.text,
        "count": miss.times,
        "outcome": miss.outcome,
        "instead": miss.instead,
        "day": miss.last_day,
        "may_add": may_add,
    }
    return Placed(document, Position(miss.times, miss.text))
