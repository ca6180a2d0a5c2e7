"""What many tests begin with: made once by the product itself, for every other test put back by a few inserts."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from gateway.mongo.client import Document, database


class Beginning:
    """The documents that an action leaves in these collections, which are empty before."""

    def __init__(self, make: Callable[[], None], collections: Sequence[str]) -> None:
        self._make = make
        self._collections = collections
        self._made: dict[str, list[Document]] = {}
        self._at = datetime.min.replace(tzinfo=UTC)

    def __call__(self) -> None:
        if not self._made:
            self._make()
            # No moment may come to lie in the future of a test.
            self._at = datetime.now(UTC)
            self._made = {name: list(database()[name].find()) for name in self._collections}
            return
        # In whole milliseconds, as the server keeps them; all moments keep their distances.
        elapsed = timedelta(milliseconds=(datetime.now(UTC) - self._at) // timedelta(milliseconds=1))
        for name, documents in self._made.items():
            database()[name].insert_many([_later(document, elapsed) for document in documents])


def _later(value: Any, elapsed: timedelta) -> Any:
    """The same as if it had been made so much later."""
    if isinstance(value, datetime):
        return value + elapsed
    if isinstance(value, dict):
        return {name: _later(each, elapsed) for name, each in value.items()}
    if isinstance(value, list):
        return [_later(each, elapsed) for each in value]
    return value
