from django.contrib import admin

from catalog.models import ReservationFinding
from catalog.structure.names import geozone_name
from gateway.domain.texts import Text
from gateway.staff.read_only import ReadOnlyAdmin
from gateway.staff.titles import Titles


@admin.register(ReservationFinding)
class ReservationFindingAdmin(ReadOnlyAdmin):
    """Reservations that differ from the orders right now. What was corrected stands in the audit."""

    titles = Titles(
        several=Text("Расхождения резервов", "Reservation findings"),
        one=Text("Расхождение резерва", "Reservation finding"),
    )
    list_display = ("product_id", "shown_geozone", "reserved", "expected", "difference", "first_seen", "last_seen")
    fields = list_display

    @admin.display(description="геозона")
    def shown_geozone(self, finding: ReservationFinding) -> str:
        return geozone_name(finding.geozone)
