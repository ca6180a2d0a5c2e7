"""Order numbers: ten digits in groups, as a person reads them out on the phone, the last one a check of the others."""

import secrets

from pymongo.errors import DuplicateKeyError

from gateway.mongo.client import database
from ordering.models import OrderNumber

# A thousand million numbers, drawn at random: no counter that every checkout would wait for, and with fifty million
# orders one draw in twenty is repeated.
DRAWN_DIGITS = 9


def claim_number() -> str:
    """A number that nobody else has or will have. One that is claimed and then not used is lost, which harms nobody."""
    numbers = database()[OrderNumber._meta.db_table]
    while True:
        drawn = str(secrets.randbelow(9 * 10 ** (DRAWN_DIGITS - 1)) + 10 ** (DRAWN_DIGITS - 1))
        number = written(drawn + _check_digit(drawn))
        try:
            numbers.insert_one({"_id": number})
        except DuplicateKeyError:
            continue
        return number


def written(digits: str) -> str:
    """4829130752 → 4829-130-752."""
    return f"{digits[:4]}-{digits[4:7]}-{digits[7:]}"


def number_in(text: str) -> str | None:
    """The number that somebody wrote in any grouping; None for what is none, or holds a slip of the tongue."""
    digits = "".join(character for character in text if character.isdigit())
    if len(digits) != DRAWN_DIGITS + 1 or not digits.isascii() or _check_digit(digits[:-1]) != digits[-1]:
        return None
    return written(digits)


def _check_digit(digits: str) -> str:
    """Luhn's: any one digit misheard and nearly any two neighbours swapped are noticed."""
    total = 0
    for position, digit in enumerate(reversed(digits)):
        doubled = int(digit) * 2 if position % 2 == 0 else int(digit)
        total += doubled - 9 if doubled > 9 else doubled
    return str(-total % 10)
