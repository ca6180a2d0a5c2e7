"""Documents of the desk of staff as they stand in MongoDB."""

from typing import TypedDict


class SavedViewDocument(TypedDict):
    _id: str
    list: str
    space: str
    name: str
    folded: str
    query: str
    maker: str
