"""The query for whoever asks."""

import strawberry

from gateway.viewer.types import Viewer


@strawberry.type
class ViewerQuery:
    @strawberry.field
    def viewer(self) -> Viewer:
        return Viewer()
