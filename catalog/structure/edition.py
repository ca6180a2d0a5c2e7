"""What an editor of a category or a geozone saw of it, so that nobody's change is written over unseen."""

from typing import NamedTuple

from catalog.documents import CategoryDocument, GeozoneDocument
from catalog.errors import StructureChangedMeanwhile


class Edition(NamedTuple):
    name: str
    position: int


def refuse_unless_seen(document: CategoryDocument | GeozoneDocument, seen: Edition | None) -> None:
    """Raise StructureChangedMeanwhile when the document is not what the editor saw; None: they looked at nothing."""
    if seen not in (None, Edition(document["name"], document["position"])):
        raise StructureChangedMeanwhile
