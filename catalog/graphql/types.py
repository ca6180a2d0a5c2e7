"""GraphQL types of the catalog."""

import strawberry


@strawberry.type
class Geozone:
    code: str
    name: str
