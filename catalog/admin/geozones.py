from typing import Any

from django.contrib import admin, messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect

from catalog.admin.deletion import DeletedByAction
from catalog.admin.structure_form import StructureForm
from catalog.errors import GeozoneInUse
from catalog.models import Geozone
from catalog.structure.edition import Edition
from catalog.structure.geozones import add_geozone, delete_geozone, edit_geozone, stocked_product
from gateway.audit.trail import Actor, Source
from gateway.domain.errors import DomainError
from gateway.domain.texts import Text
from gateway.staff.forms import SavedByItsForm
from gateway.staff.language import staff_language
from gateway.staff.titles import Titles


class GeozoneForm(StructureForm):
    class Meta:
        model = Geozone
        fields = ("code", "name", "position")

    def add(self) -> None:
        given = self.cleaned_data
        add_geozone(given["code"], given["name"], position=given["position"], actor=self.actor)
        self.instance.code, self.instance.name = given["code"], given["name"]
        self.instance.position = given["position"]

    def edit(self, wanted: Edition) -> None:
        edit_geozone(self.instance.pk, name=wanted.name, position=wanted.position, actor=self.actor, seen=self.stored)


@admin.register(Geozone)
class GeozoneAdmin(SavedByItsForm, DeletedByAction):
    titles = Titles(
        several=Text("Геозоны", "Geozones"),
        one=Text("Геозона", "Geozone"),
        new=Text("Новая геозона", "New geozone"),
    )
    form = GeozoneForm
    list_display = ("name", "code", "position")
    list_editable = ("position",)
    search_fields = ("code", "name")

    def get_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        edits = obj is not None and self.has_change_permission(request, obj)
        return ("code", "name", "position", *(("seen", "clashed") if edits else ()))

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        return ("code",) if obj else ()

    def save_model(self, request: Any, obj: Geozone, form: Any, change: bool) -> None:
        """Call the form's action; what was edited in the list has no such form, and is saved here."""
        if isinstance(form, GeozoneForm):
            super().save_model(request, obj, form, change)
        else:
            actor = Actor.account(request.user, Source.ADMIN)
            seen = Edition(obj.name, form.initial["position"])
            edit_geozone(obj.code, name=obj.name, position=obj.position, actor=actor, seen=seen)

    def changelist_view(self, request: Any, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Show the list; a refusal of what was edited in it is a message."""
        try:
            return super().changelist_view(request, extra_context)
        except DomainError as refusal:
            for reason in refusal:
                self.message_user(request, reason.message(staff_language()), messages.ERROR)
            return HttpResponseRedirect(request.get_full_path())

    def refusal(self, obj: Geozone) -> DomainError | None:
        product_id = stocked_product(obj.code)
        return GeozoneInUse(product_id=product_id) if product_id else None

    def delete_model(self, request: Any, obj: Geozone) -> None:
        delete_geozone(obj.code, actor=Actor.account(request.user, Source.ADMIN))
