"""The stock of a product as the pages show it, geozone by geozone."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from catalog.products.derived import LOW, NONE, shelf_mark
from catalog.stock.adjust import level_in
from gateway.domain.texts import Text
from gateway.staff.language import said

RESERVED = Text("в резерве {count}", "{count} reserved")


class LevelShown(NamedTuple):
    geozone: str
    name: str
    quantity: int
    reserved: int
    mark: str
    """«none», «low», or nothing."""
    is_kept: bool
    """Whether the product has ever been counted there."""

    @property
    def available(self) -> int:
        return max(0, self.quantity - self.reserved)

    @property
    def reserved_text(self) -> str:
        return reserved_text(self.reserved)


def reserved_text(reserved: int) -> str:
    return said(RESERVED, count=reserved) if reserved else ""


def level_shown(document: Mapping[str, Any], geozone: str, name: str) -> LevelShown:
    marks = set(document.get("shelf") or ())
    mark = next((each for each in (NONE, LOW) if shelf_mark(geozone, each) in marks), "")
    is_kept = any(level["geozone"] == geozone for level in document.get("stock") or ())
    return LevelShown(geozone, name, *level_in(document, geozone), mark, is_kept)
