"""The catalog as merchandisers edit it and support sees it."""

from catalog.admin.findings import ReservationFindingAdmin
from catalog.admin.geozones import GeozoneAdmin
from catalog.admin.misses import SearchMissAdmin
from catalog.admin.products import ProductAdmin
from catalog.admin.synonyms import SynonymGroupAdmin

__all__ = ["GeozoneAdmin", "ProductAdmin", "ReservationFindingAdmin", "SearchMissAdmin", "SynonymGroupAdmin"]
