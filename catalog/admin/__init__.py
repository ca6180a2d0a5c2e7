"""The catalog as merchandisers edit it and support sees it."""

from catalog.admin.findings import ReservationFindingAdmin
from catalog.admin.geozones import GeozoneAdmin
from catalog.admin.products import ProductAdmin

__all__ = ["GeozoneAdmin", "ProductAdmin", "ReservationFindingAdmin"]
