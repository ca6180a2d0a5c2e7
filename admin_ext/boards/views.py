"""The pages of the boards: what is asked and who may see it; and their tables as CSV."""

from datetime import UTC, datetime
from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.template.response import TemplateResponse
from django.utils.http import urlencode
from django.views import View

from admin_ext.boards.boards import TODAY, Asked, Board
from admin_ext.boards.charts import options
from admin_ext.boards.parts import Shown, Table, Value
from admin_ext.boards.periods import PeriodForm, shop_day
from catalog.exchange.cells import harmless
from catalog.exchange.sheets.csv_writer import MARK, csv_part
from catalog.exchange.sheets.rows import Cell
from gateway.accounts.models import User
from gateway.domain.texts import Text
from gateway.staff.language import said, staff_language

LABELS = {
    "show": Text("Показать", "Show"),
    "csv": Text("Скачать CSV", "Download CSV"),
}


class BoardView(View):
    http_method_names = ("get", "head")
    board: Board = TODAY
    """Set by the address."""

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if not isinstance(request.user, User) or not request.user.has_perms(self.board.rights):
            raise PermissionDenied
        self.reader, self.now = request.user, datetime.now(UTC)
        return super().dispatch(request, *args, **kwargs)

    def get(self, request: HttpRequest) -> HttpResponse:
        form = PeriodForm(request.GET.dict(), today=shop_day(self.now)) if self.board.has_period else None
        query = {name: value for name, value in request.GET.dict().items() if value and name != "table"}
        context = {
            **admin.site.each_context(request),
            "title": said(self.board.title),
            "form": form,
            "shown": self._shown(form),
            "csv_url": f"{self.board.csv_url}?{urlencode({**query, 'table': ''})}",
            "chart_options": options(),
            "labels": {name: said(text) for name, text in LABELS.items()},
        }
        return TemplateResponse(request, "boards/board.html", context)

    def _shown(self, form: PeriodForm | None) -> Shown | None:
        """The board; None when the form does not say of which days, and says why."""
        today = shop_day(self.now)
        if form is None:
            return self.board.show(Asked(self.reader, self.now, today, today, ""))
        if not form.is_valid():
            return None
        given = form.cleaned_data
        return self.board.show(Asked(self.reader, self.now, given["since"], given["until"], given["geozone"]))


class BoardSheet(BoardView):
    """One table of a board as CSV. It has as many rows as the page: a period is bounded."""

    def get(self, request: HttpRequest) -> HttpResponse:
        form = PeriodForm(request.GET.dict(), today=shop_day(self.now)) if self.board.has_period else None
        shown = self._shown(form)
        wanted = request.GET.get("table", "")
        table = next((table for table in (shown.tables if shown else ()) if table.code == wanted), None)
        if table is None:
            raise Http404
        name = f"{self.board.code}-{table.code}-{shop_day(self.now):%Y-%m-%d}.csv"
        headers = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-store"}
        return HttpResponse(sheet_of(table), content_type="text/csv; charset=utf-8", headers=headers)


def sheet_of(table: Table) -> bytes:
    """The table in the language of the page, with exact figures, and nothing in it that a spreadsheet computes."""
    header: list[Cell] = [harmless(column.title) for column in table.columns]
    rows = [[_cell(value) for value in row] for row in table.rows]
    return MARK.encode() + csv_part([header, *rows], staff_language())


def _cell(value: Value) -> Cell:
    return harmless(value.exact) if isinstance(value.exact, str) else value.exact
