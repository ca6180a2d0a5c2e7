"""Prices are given the endings that a shop likes: 25 743,20 → 25 743, 25 742,90, 25 739 or 25 699."""

from decimal import ROUND_FLOOR, Decimal
from enum import Enum
from typing import NamedTuple


class Ending(Enum):
    WHOLE = ".00"
    NINETY_KOPECKS = ".90"
    NINE = "9"
    NINETY_NINE = "99"


class Direction(Enum):
    NEAREST = "nearest"
    """Of two that are equally near, the lower: the shop gives way."""
    DOWN = "down"
    UP = "up"


class _Grid(NamedTuple):
    """Amounts with one ending: `first`, then one at every `step`."""

    step: Decimal
    first: Decimal


_GRIDS = {
    Ending.WHOLE: _Grid(Decimal(1), Decimal(1)),
    Ending.NINETY_KOPECKS: _Grid(Decimal(1), Decimal("0.90")),
    Ending.NINE: _Grid(Decimal(10), Decimal(9)),
    Ending.NINETY_NINE: _Grid(Decimal(100), Decimal(99)),
}


def rounded(amount: Decimal, ending: Ending, direction: Direction = Direction.NEAREST) -> Decimal:
    """The amount with this ending; never below the first that there is, so that nothing is given away."""
    step, first = _GRIDS[ending]
    below = first + ((amount - first) / step).to_integral_value(ROUND_FLOOR) * step
    above = below if below == amount else below + step
    goes_up = direction is Direction.UP or (direction is Direction.NEAREST and above - amount < amount - below)
    return max(above if goes_up else below, first)
