"""The query for whoever asks."""

import strawberry

from gateway.viewer.types import Viewer


@strawberry.type
class ViewerQuery:
    @strawberry.field(description="Whoever asks: guest or customer, with the cart and the orders.")
    def viewer(self) -> Viewer:
        return Viewer()
