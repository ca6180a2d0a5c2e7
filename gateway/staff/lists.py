"""Lists of staff: pages by key, over the same reads as the API's. No collection is counted, sorted or skipped through.

An admin of such a list is a `PagedByKey`; its `page` is all that it must say. Filters are `Choice`s. Words, filters and
order come together in one `Asked`, so that a read can serve them by one index.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import cached_property
from typing import Any, NamedTuple, cast

from bson import Decimal128, json_util
from django.contrib import admin, messages
from django.contrib.admin.options import IncorrectLookupParameters
from django.contrib.admin.views.main import ORDER_VAR, PAGE_VAR, SEARCH_VAR
from django.core import signing
from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, path
from unfold.views import ChangeList

from gateway.domain.texts import Text
from gateway.paging import Page, Position, Slice
from gateway.staff.language import staff_language
from gateway.staff.model_admin import StaffAdmin
from gateway.staff.shelf import Shelf, change_views, known_query

# What a person reads the number of is told exactly up to here; beyond, nobody looks at each.
COUNTED = 10_000
SALT = "gateway.staff.lists"

SHOWN = Text("Показано: {shown}", "Shown: {shown}")
SHOWN_OF = Text("Показано: {shown} из {total}", "Shown: {shown} of {total}")
SHOWN_OF_MANY = Text("Показано: {shown}, всего больше {counted}", "Shown: {shown}, more than {counted} in all")
PREVIOUS = Text("Назад", "Previous")
NEXT = Text("Вперёд", "Next")
FIRST = Text("В начало", "To the beginning")
LOST = Text(
    "Место в списке не найдено: показано начало.", "The place in the list was not found: this is its beginning."
)
INCOMPLETE = Text(
    "Архив сейчас недоступен: показано не всё.", "The archive is away at the moment: not everything is shown."
)
ONE_PAGE = Text("Отметьте строки на странице: всё сразу не выбирается.", "Tick the rows of a page: not all at once.")


class Asked(NamedTuple):
    """What a person asks of a list."""

    filters: Mapping[str, str]
    """Parameter of a `Choice` → value, of those that are set."""
    search: str = ""
    order: str = ""
    """A field of the model, with «-» for downwards, among the admin's `sortable_by`; empty: the list's own order."""


class Choice(admin.SimpleListFilter):
    """A filter whose value goes to `PagedByKey.page`."""

    def queryset(self, request: HttpRequest, queryset: QuerySet) -> QuerySet:
        return queryset


class Typed(Choice):
    """A filter whose value a person types; `PagedByKey.page` judges it. An empty one asks for nothing."""

    def __init__(self, request: HttpRequest, params: dict[str, Any], model: type[Model], model_admin: Any) -> None:
        # A form may have two fields for one filter, a choice and a free one: the one that says something counts.
        given = [value.strip() for value in request.GET.getlist(str(self.parameter_name)) if value.strip()]
        self._given = given[-1] if given else None
        super().__init__(request, params, model, model_admin)

    def value(self) -> str | None:
        return self._given

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(self._given or "", "")]


class KeysetList(ChangeList):
    """Django's list, filled by a read of ours instead of a query set."""

    model_admin: "PagedByKey"

    def get_queryset(self, request: HttpRequest, exclude_parameters: list[str] | None = None) -> QuerySet:
        """All objects: whoever acts on ticked rows finds them there by their keys."""
        self.filter_specs, self.has_filters, unknown, _, self.has_active_filters = self.get_filters(request)
        if unknown or any(_is_unknown(spec) for spec in self.filter_specs):
            raise IncorrectLookupParameters
        return cast("QuerySet", self.root_queryset)

    def get_results(self, request: HttpRequest) -> None:
        values = {spec.parameter_name: spec.value() for spec in self.filter_specs}
        given = {name: value for name, value in values.items() if value is not None}
        self.asked = Asked(given, self.query.strip(), self._order())
        self.part = slice_asked(request, self.list_per_page)
        found = self.model_admin.page(request, self.part, self.asked)
        if not found.complete:
            messages.warning(request, INCOMPLETE.in_language(staff_language()))
        self.found = found
        self.result_list = [self.model_admin.row_of(document) for document in found.documents]
        # What Django and Unfold ask of a list in pages; ours knows of no further ones.
        self.result_count = len(self.result_list)
        self.full_result_count = None
        self.show_full_result_count = False
        self.show_admin_actions = True
        self.can_show_all = self.multi_page = False
        self.paginator = Pager(self, request)
        self.shelf = Shelf(
            self.model_admin, request, known_query(request.GET.urlencode(), self.model_admin.known(request))
        )

    def get_ordering_field_columns(self) -> dict[int, str]:
        """The column by which the list is sorted: one at most."""
        return dict(self._ordered_columns())

    def _order(self) -> str:
        for index, direction in self._ordered_columns():
            field = self.get_ordering_field(self.list_display[index])
            return f"-{field}" if direction == "desc" else str(field)
        return ""

    def _ordered_columns(self) -> Iterator[tuple[int, str]]:
        first = self.params.get(ORDER_VAR, "").partition(".")[0]
        index = first.removeprefix("-")
        if not (index.isascii() and index.isdigit() and len(index) < 4 and int(index) < len(self.list_display)):
            return
        name = self.list_display[int(index)]
        if name in self.sortable_by and self.get_ordering_field(name):
            yield int(index), "desc" if first.startswith("-") else "asc"


class Pager:
    """The foot of the list: how much is shown, and the ways on."""

    template_name = "staff/pages.html"

    def __init__(self, shown: KeysetList, request: HttpRequest) -> None:
        self._shown, self._request = shown, request

    @cached_property
    def told(self) -> str:
        """How much is shown, of how much."""
        shown, found = self._shown, self._shown.found
        language = staff_language()
        if not found.has_next and not found.has_previous:
            return SHOWN.in_language(language, shown=len(found.placed))
        total = shown.model_admin.counted(self._request, shown.asked)
        if total is None:
            return SHOWN_OF_MANY.in_language(language, shown=len(found.placed), counted=_spaced(COUNTED))
        if total < 0:
            return SHOWN.in_language(language, shown=len(found.placed))
        return SHOWN_OF.in_language(language, shown=len(found.placed), total=_spaced(total))

    def ways(self) -> list[tuple[str, str]]:
        """The titles and addresses of the pages around this one; an empty address: there is none."""
        shown = self._shown
        return ways_around(
            shown.found,
            shown.part,
            lambda place: str(shown.get_query_string({PAGE_VAR: place} if place else None)),
        )


def ways_around(found: Page[Any], part: Slice, address: Callable[[str], str]) -> list[tuple[str, str]]:
    """The titles and addresses of the pages around this one; an empty address: there is none.

    `address` makes one of the value of `PAGE_VAR`, of the beginning when it is empty.
    """
    language = staff_language()
    ends = (found.placed[0].position, found.placed[-1].position) if found.placed else None
    back = address(place_text(ends[0], backward=True)) if ends and found.has_previous else ""
    on = address(place_text(ends[1])) if ends and found.has_next else ""
    start = [(FIRST.in_language(language), address(""))] if part.beyond else []
    return [*start, (PREVIOUS.in_language(language), back), (NEXT.in_language(language), on)]


def place_text(position: Position, *, backward: bool = False) -> str:
    """What the address says of a page that begins beyond the position; nobody else can make one."""
    sealed = signing.dumps(json_util.dumps(list(position)), salt=SALT)
    return f"{'b' if backward else 'a'}{sealed}"


UNCOUNTED = -1


class PagedByKey(StaffAdmin):
    """An admin whose list is a read of the domain. Put it before other bases."""

    list_disable_select_all = True
    list_before_template = "staff/views.html"

    def page(self, request: HttpRequest, part: Slice, asked: Asked) -> Page[Any]:
        """One page of documents; runs its reads itself."""
        raise NotImplementedError

    def counted(self, request: HttpRequest, asked: Asked) -> int | None:
        """How many there are in all, None when more than `COUNTED`; asked only when they do not fit on one page.

        Without an index that counts cheaply, leave it: nothing is told then.
        """
        return UNCOUNTED

    def row_of(self, document: Mapping[str, Any]) -> Model:
        """The document as a row: plain fields as the model's own, the document itself as `row.document`."""
        values = {
            field.attname: _plain(document[field.column])
            for field in self.model._meta.concrete_fields
            if field.column in document and not _is_nested(document[field.column])
        }
        row: Any = self.model.from_db(None, list(values), list(values.values()))
        row.document = document
        return cast("Model", row)

    def known(self, request: HttpRequest) -> set[str]:
        """The parameters of the list's address that a saved view keeps."""
        choices = cast("Sequence[type[Choice]]", self.get_list_filter(request))
        return {SEARCH_VAR, ORDER_VAR, *(str(choice.parameter_name) for choice in choices)}

    def get_urls(self) -> list[URLPattern]:
        name = f"{self.opts.app_label}_{self.opts.model_name}_views"
        return [path("views/", self.admin_site.admin_view(self.change_views), name=name), *super().get_urls()]

    def change_views(self, request: HttpRequest) -> HttpResponse:
        return change_views(self, request, self.known(request))

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[ChangeList]:
        return KeysetList

    def response_action(self, request: HttpRequest, queryset: QuerySet) -> HttpResponse | None:
        """Act on ticked rows only: «all» would be everything there is, whatever the filter says."""
        if request.POST.get("select_across", "0") != "0":
            self.message_user(request, ONE_PAGE.in_language(staff_language()), messages.ERROR)
            return None
        return super().response_action(request, queryset)


def slice_asked(request: HttpRequest, size: int) -> Slice:
    """The part that the address asks for; one that was not made here is the beginning, and says so."""
    asked = request.GET.get(PAGE_VAR, "")
    if not asked:
        return Slice(size)
    try:
        value, id_ = json_util.loads(signing.loads(asked[1:], salt=SALT))
    except signing.BadSignature:
        messages.warning(request, LOST.in_language(staff_language()))
        return Slice(size)
    return Slice(size, backward=asked[0] == "b", beyond=Position(value, id_))


def _is_unknown(spec: Any) -> bool:
    return spec.value() is not None and spec.value() not in {str(value) for value, _ in spec.lookup_choices}


def _is_nested(value: Any) -> bool:
    return isinstance(value, Mapping) or (isinstance(value, list) and any(isinstance(each, Mapping) for each in value))


def _plain(value: Any) -> Any:
    match value:
        case Decimal128():
            return value.to_decimal()
        case datetime(tzinfo=None):
            return value.replace(tzinfo=UTC)
    return value


def _spaced(number: int) -> str:
    return f"{number:,}".replace(",", " ")
