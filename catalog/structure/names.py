"""Names of geozones and categories, for pages about documents that hold only their codes."""

from catalog.structure.category_tree import CATEGORIES
from catalog.structure.geozones import all_geozones
from gateway.mongo.reads import run
from gateway.remembered import Remembered

# Short: whoever renames a geozone soon looks where it is named.
REMEMBER_SECONDS = 5.0


def _read_geozones() -> dict[str, str]:
    return {zone.code: zone.name for zone in run(all_geozones())}


GEOZONE_NAMES = Remembered(_read_geozones, seconds=REMEMBER_SECONDS)


def geozone_name(code: str | None) -> str:
    """The geozone as people call it; the code of one that is gone; empty for none."""
    return GEOZONE_NAMES.get().get(code, code) if code else ""


def category_name(slug: str | None) -> str:
    """The category as people call it; the slug of one that is gone; empty for none."""
    if not slug:
        return ""
    node = CATEGORIES.get().get(slug)
    return node.name if node else slug
