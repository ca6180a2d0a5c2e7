"""What two lists tell of a history together: whole as far as both reach, each order in its newest version."""

from datetime import datetime, timedelta
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from gateway.paging import Position, Slice
from ordering.reading.history import together

EPOCH = datetime(2026, 3, 1)  # noqa: DTZ001 - as both stores give times

known = st.builds(
    lambda minute, version, copied: {"minute": minute, "version": version, "copied": copied},
    st.integers(0, 8),
    st.integers(1, 3),
    # The version that Cassandra has; 0: none.
    st.integers(0, 3),
)


@given(st.lists(known, max_size=12), st.integers(1, 6), st.booleans(), st.integers(-1, 9))
def test_stretch_is_whole_up_to_its_end_and_shows_the_newest_version_once(
    all_known: list[dict[str, int]], size: int, backward: bool, beyond: int
) -> None:
    truth = []
    for number, each in enumerate(all_known):
        position = Position(EPOCH + timedelta(minutes=each["minute"]), f"{number:02}")
        truth.append((position, max(each["version"], each["copied"]), each["copied"]))
    start = Position(EPOCH + timedelta(minutes=beyond), "05")
    truth = sorted((each for each in truth if (each[0] > start if backward else each[0] < start)), reverse=not backward)

    def document(position: Position, version: int) -> Any:
        return {"_id": position.id, "created_at": position.value, "version": version}

    fresh = [document(position, version) for position, version, copied in truth if version > copied][:size]
    rows = [document(position, copied) for position, _, copied in truth if copied][:size]
    stretch = together(fresh, rows, Slice(size, backward, start))

    ends = len(truth)
    if stretch.end is not None:
        ends = [position for position, _, _ in truth].index(stretch.end) + 1
    assert stretch.orders == [document(position, version) for position, version, _ in truth[:ends]]
    assert stretch.end is None or len(stretch.orders) >= size


def test_document_that_was_read_before_its_newer_version_was_copied_is_not_shown() -> None:
    read: Any = {"_id": "1", "created_at": EPOCH, "version": 2}
    copied: Any = {"_id": "1", "created_at": EPOCH, "version": 3}

    assert together([read], [copied], Slice(5)).orders == [copied]
    assert together([copied], [read], Slice(5)).orders == [copied]
