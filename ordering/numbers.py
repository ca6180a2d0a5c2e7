"""Order numbers: ten digits in groups, as a person reads them out on the phone, the last one a check of the others."""

import os
import secrets
import threading

from pymongo.errors import BulkWriteError

from gateway.mongo.client import collection_of
from gateway.mongo.duplicates import duplicates_of
from ordering.documents import OrderNumberDocument
from ordering.models import OrderNumber

# A thousand million numbers, drawn at random: no counter that every checkout would wait for, and with fifty million
# orders one draw in twenty is repeated.
DRAWN_DIGITS = 9


# A process claims as many at once, so that one checkout in twenty waits for it. Those it does not use are lost with it.
BLOCK = 20


class Numbers:
    """Numbers that this process has claimed and not given out yet."""

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        self._lock = threading.Lock()
        self._claimed: list[str] = []

    def take(self) -> str:
        while True:
            with self._lock:
                if self._claimed:
                    return self._claimed.pop()
            block = _claim_block()
            with self._lock:
                self._claimed += block


NUMBERS = Numbers()
# A child has its parent's memory: both would give out the same.
os.register_at_fork(after_in_child=NUMBERS.forget)


def claim_number() -> str:
    """A number that nobody else has or will have."""
    return NUMBERS.take()


def _claim_block() -> list[str]:
    """Numbers drawn at random and claimed in the store, where `_id` is unique across shards."""
    drawn = [_drawn() for _ in range(BLOCK)]
    taken: set[int] = set()
    try:
        numbers = collection_of(OrderNumber._meta.db_table, OrderNumberDocument)
        numbers.insert_many([{"_id": number} for number in drawn], ordered=False)
    except BulkWriteError as error:
        taken = {refused["index"] for refused in duplicates_of(error)}
    return [number for index, number in enumerate(drawn) if index not in taken]


def _drawn() -> str:
    digits = str(secrets.randbelow(9 * 10 ** (DRAWN_DIGITS - 1)) + 10 ** (DRAWN_DIGITS - 1))
    return written(digits + _check_digit(digits))


def written(digits: str) -> str:
    """The number as people write it: 4829130752 → 4829-130-752."""
    return f"{digits[:4]}-{digits[4:7]}-{digits[7:]}"


def number_in(text: str) -> str | None:
    """The number that somebody wrote in any grouping; None for what is none, or holds a slip of the tongue."""
    digits = "".join(character for character in text if character.isdigit())
    if len(digits) != DRAWN_DIGITS + 1 or not digits.isascii() or _check_digit(digits[:-1]) != digits[-1]:
        return None
    return written(digits)


def _check_digit(digits: str) -> str:
    """Luhn's check digit: any one digit misheard and nearly any two neighbours swapped are noticed."""
    total = 0
    for position, digit in enumerate(reversed(digits)):
        doubled = int(digit) * 2 if position % 2 == 0 else int(digit)
        total += doubled - 9 if doubled > 9 else doubled
    return str(-total % 10)
