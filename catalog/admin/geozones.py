from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from catalog.admin.deletion import DeletedByAction
from catalog.errors import GeozoneInUse
from catalog.models import Geozone
from catalog.structure.geozones import add_geozone, delete_geozone, edit_geozone, stocked_product
from gateway.audit.trail import Actor, Source
from gateway.domain.errors import DomainError
from gateway.domain.texts import Text
from gateway.staff.forms import ActionForm, SavedByItsForm
from gateway.staff.titles import Titles


class GeozoneForm(ActionForm):
    class Meta:
        model = Geozone
        fields = ("code", "name", "position")

    def act(self) -> None:
        name, position = self.cleaned_data["name"], self.cleaned_data["position"]
        if self.instance.pk:
            edit_geozone(self.instance.pk, name=name, position=position, actor=self.actor)
        else:
            add_geozone(self.cleaned_data["code"], name, position=position, actor=self.actor)
            self.instance.code = self.cleaned_data["code"]
        self.instance.name, self.instance.position = name, position


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

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        return ("code",) if obj else ()

    def save_model(self, request: Any, obj: Geozone, form: Any, change: bool) -> None:
        """Call the form's action; what was edited in the list has no such form, and is saved here."""
        if isinstance(form, GeozoneForm):
            super().save_model(request, obj, form, change)
        else:
            actor = Actor.account(request.user, Source.ADMIN)
            edit_geozone(obj.code, name=obj.name, position=obj.position, actor=actor)

    def refusal(self, obj: Geozone) -> DomainError | None:
        product_id = stocked_product(obj.code)
        return GeozoneInUse(product_id=product_id) if product_id else None

    def delete_model(self, request: Any, obj: Geozone) -> None:
        delete_geozone(obj.code, actor=Actor.account(request.user, Source.ADMIN))
