"""The page on which a file is sent: what it may hold, templates of it, and why one was not taken."""

from typing import Any, NamedTuple

from django.conf import settings
from django.contrib.admin.options import ModelAdmin
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.crypto import get_random_string
from django.views import View

from admin_ext.sheets.imports import begin_import
from admin_ext.sheets.links import import_url, template_url
from admin_ext.sheets.pages.access import CHANGE_STOCK, may_import, reader
from catalog.changes.values import QUANTITY
from catalog.exchange.cells import EMPTY_MARK, EMPTY_MARK_EN
from catalog.exchange.columns import ATTRIBUTE_COLUMN, COLUMNS, title_of
from catalog.exchange.export import template_rows
from catalog.exchange.sheets.output import Target, whole_file
from catalog.exchange.sheets.rows import Format
from catalog.structure.names import GEOZONE_NAMES
from gateway.audit.trail import Actor, Source
from gateway.domain.errors import DomainError
from gateway.domain.texts import Text
from gateway.staff.downloads import download
from gateway.staff.forms import KEY_LENGTH
from gateway.staff.language import said, staff_language

TITLE = Text("Загрузка товаров из файла", "Import of products from a file")
TEMPLATE_NAME = Text("Товары, шаблон.{format}", "Products, template.{format}")
NO_FILE = Text("Выберите файл.", "Choose a file.")
TOO_LARGE = Text("Файл больше {limit} МБ: разделите его.", "The file is larger than {limit} MB: divide it.")
LIMITS = Text(
    "CSV или XLSX, до {megabytes} МБ и {rows} строк. Кодировку и разделитель CSV мы узнаем сами.",
    "CSV or XLSX, up to {megabytes} MB and {rows} rows. Encoding and separator of CSV are recognised.",
)
WORDS = {
    "file": Text("Файл с товарами", "File with products"),
    "drop": Text("Перетащите файл сюда или выберите его", "Drop the file here, or choose it"),
    "send": Text("Проверить файл", "Check the file"),
    "safe": Text(
        "Сначала файл только проверяется: вы увидите, что изменится, и решите, загружать ли.",
        "First the file is only checked: you will see what would change, and decide whether to load it.",
    ),
    "refused": Text("Файл не принят", "The file was not taken"),
    "templates": Text("Шаблон", "Template"),
    "columns": Text("Какие столбцы понимаем", "Which columns are known"),
    "about": Text(
        "Названия столбцов стоят в первой строке, по-русски или по-английски, в любом порядке. Пустая ячейка "
        "оставляет значение как есть, {mark} очищает его. Незнакомые столбцы пропускаются. Строки с ошибками не "
        "мешают остальным: их можно скачать с причинами, исправить и загрузить снова.",
        "The first row names the columns, in Russian or English, in any order. An empty cell leaves the value as it "
        "is, {mark} empties it. Unknown columns are ignored. Rows with errors hold up none of the others: download "
        "them with the reasons, correct them and load them again.",
    ),
    "column": Text("Столбец", "Column"),
    "names": Text("Другие названия", "Other names"),
    "meaning": Text("Что в нём", "What it holds"),
    "example": Text("Пример", "Example"),
    "to_list": Text("К списку", "To the list"),
}
ANY_ATTRIBUTE = Text("название", "name")
ATTRIBUTE_ABOUT = Text(
    "По столбцу на характеристику. [пусто] убирает её.", "A column for each attribute. [empty] takes it away."
)
STOCK_ABOUT = Text("Сколько штук на складе геозоны.", "How many pieces the geozone has.")


class Help(NamedTuple):
    """A column in the help."""

    title: str
    names: str
    about: str
    example: str


class UploadView(View):
    """GET shows the form and the help; POST keeps the file, has it checked, and leads to the page of the import."""

    # Given to `as_view`, which takes only what the class has.
    model_admin: ModelAdmin = None  # type: ignore[assignment]

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        if not may_import(request):
            raise PermissionDenied
        return super().dispatch(request, *args, **kwargs)

    def get(self, request: HttpRequest) -> HttpResponse:
        return self._page([])

    def post(self, request: HttpRequest) -> HttpResponse:
        sent = request.FILES.get("file")
        if sent is None or sent.file is None:
            return self._page([said(NO_FILE)])
        person = reader(request)
        try:
            sheet = begin_import(
                sent.file,  # type: ignore[arg-type]
                sent.name or "",
                size=sent.size or 0,
                may_change_stock=person.has_perm(CHANGE_STOCK),
                actor=Actor.account(person, Source.ADMIN),
                key=request.POST.get("key", "")[:KEY_LENGTH] or None,
            )
        except DomainError as refusal:
            return self._page([reason.message(staff_language()) for reason in refusal])
        return HttpResponseRedirect(import_url(sheet["_id"]))

    def _page(self, reasons: list[str]) -> HttpResponse:
        site = self.model_admin.admin_site
        limit = settings.SHEET_MAX_BYTES
        mark = EMPTY_MARK_EN if staff_language() == "en" else EMPTY_MARK
        context = {
            **site.each_context(self.request),
            "opts": self.model_admin.opts,
            "title": said(TITLE),
            "words": {name: said(text, mark=mark) if name == "about" else said(text) for name, text in WORDS.items()},
            "limits": said(LIMITS, megabytes=limit // 1_000_000, rows=f"{settings.SHEET_MAX_ROWS:,}".replace(",", " ")),
            "limit": limit,
            "too_large": said(TOO_LARGE, limit=limit // 1_000_000),
            "reasons": reasons,
            "key": get_random_string(KEY_LENGTH),
            "columns": columns_known(),
            "templates": [(format_.value.upper(), template_url(format_)) for format_ in Format],
            "list_url": reverse("admin:sheets_sheetimport_changelist"),
        }
        self.request.current_app = site.name
        return TemplateResponse(self.request, "sheets/upload.html", context)


def columns_known() -> list[Help]:
    """Every column that a file may have, in the language of the page."""
    language, geozones = staff_language(), GEOZONE_NAMES.get()
    fixed = [
        Help(
            column.title.in_language(language),
            ", ".join(sorted(column.names - {column.title.in_language(language).casefold()})),
            column.about.in_language(language),
            column.example.in_language(language),
        )
        for column in COLUMNS
    ]
    attribute = Help(said(ATTRIBUTE_COLUMN, name=said(ANY_ATTRIBUTE)), "", said(ATTRIBUTE_ABOUT), "")
    stock = [Help(title_of(f"{QUANTITY}{code}", geozones, language), "", said(STOCK_ABOUT), "10") for code in geozones]
    return [*fixed, attribute, *stock]


def template_view(request: HttpRequest) -> HttpResponseBase:
    """An empty file with every column, and a row as an example."""
    if not may_import(request):
        raise PermissionDenied
    format_ = request.GET.get("format", Format.CSV.value)
    if format_ not in {each.value for each in Format}:
        raise Http404
    target = Target(Format(format_), staff_language())
    data = whole_file(target, template_rows(GEOZONE_NAMES.get(), target.language))
    return download(said(TEMPLATE_NAME, format=format_), target.content_type, iter([data]), size=len(data))
