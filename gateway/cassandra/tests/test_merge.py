"""The merge of sorted sources, against a plain sort."""

import asyncio
from collections.abc import AsyncGenerator

from hypothesis import given
from hypothesis import strategies as st

from gateway.cassandra.merge import merged

Row = tuple[int, str]
SOURCES = st.lists(st.lists(st.tuples(st.integers(0, 9), st.text("ab", max_size=2))), max_size=6)


class Source:
    """Gives its rows one by one, and counts them."""

    def __init__(self, rows: list[Row]) -> None:
        self._rows = rows
        self.given = 0
        self.closed = False

    async def scan(self) -> AsyncGenerator[Row, None]:
        try:
            for row in self._rows:
                self.given += 1
                yield row
        finally:
            self.closed = True


async def taken(sources: list[Source], number: int, *, descending: bool) -> list[Row]:
    rows = merged([source.scan() for source in sources], lambda row: row, descending=descending)
    found = []
    async for row in rows:
        found.append(row)
        if len(found) == number:
            break
    await rows.aclose()
    return found


@given(SOURCES, st.booleans(), st.integers(1, 20))
def test_rows_come_in_one_order_and_no_more_are_read_than_needed(
    lists: list[list[Row]], descending: bool, number: int
) -> None:
    sources = [Source(sorted(rows, reverse=descending)) for rows in lists]

    found = asyncio.run(taken(sources, number, descending=descending))

    assert found == sorted((row for rows in lists for row in rows), reverse=descending)[:number]
    # The head of each, and one more for each row that was taken.
    assert sum(source.given for source in sources) <= len(found) + len(sources)
    assert all(source.closed for source in sources if source.given)
