"""What the pages of a model are called. Written by hand: no program puts a Russian noun into the right form."""

from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from django.http import HttpRequest, HttpResponse
from django.utils.text import capfirst

from gateway.domain.texts import Text
from gateway.staff.language import said

if TYPE_CHECKING:
    # Unfold's own has no types; to the checker it is what it extends.
    from django.contrib.admin import ModelAdmin
else:
    from unfold.admin import ModelAdmin

NEW = Text("Новая запись", "New entry")


class Titles(NamedTuple):
    several: Text
    """Of the list: «Категории»."""
    one: Text
    """Of the page of one, whose name follows: «Категория»."""
    new: Text = NEW
    """Of the form for a new one: «Новая категория»."""


class Titled(ModelAdmin):
    """Pages under titles of their own, instead of Django's «Добавить категория»."""

    titles: ClassVar[Titles | None] = None

    def list_title(self) -> str:
        return said(self.titles.several) if self.titles else capfirst(str(self.opts.verbose_name_plural))

    def page_title(self) -> str:
        return said(self.titles.one) if self.titles else capfirst(str(self.opts.verbose_name))

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        return super().changelist_view(request, {"title": self.list_title(), **self._above(), **(extra_context or {})})

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        title = self.page_title() if object_id else said(self.titles.new if self.titles else NEW)
        given = {"title": title, **self._above(), **(extra_context or {})}
        return super().changeform_view(request, object_id, form_url, given)

    def delete_view(
        self, request: HttpRequest, object_id: str, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        return super().delete_view(request, object_id, {**self._above(), **(extra_context or {})})

    def _above(self) -> dict[str, Any]:
        """What the header shows before the title of a page."""
        return {"list_title": self.list_title()}
