from django.contrib import admin

from catalog.models import ReservationFinding
from gateway.staff.read_only import ReadOnlyAdmin


@admin.register(ReservationFinding)
class ReservationFindingAdmin(ReadOnlyAdmin):
    """Reservations that differ from the orders right now. What was corrected stands in the audit."""

    list_display = ("product_id", "geozone", "reserved", "expected", "difference", "first_seen", "last_seen")
