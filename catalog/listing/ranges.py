"""Ranges of numeric attributes: «from 6 to 6.7 inches» is any of the values that there are within."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from catalog.listing.facet_cache import remembered_facets
from catalog.listing.facets import numbers
from catalog.listing.filters import AnyOf
from catalog.listing.quantities import amount_in, usual_unit
from catalog.structure.attributes import CategoryAttribute


@dataclass(frozen=True, slots=True)
class Between:
    """An attribute whose number lies within the bounds, both included; and is one of the values, if any are given."""

    name: str
    low: Decimal | None
    high: Decimal | None
    among: tuple[str, ...] = ()

    def holds(self, amount: Decimal) -> bool:
        return (self.low is None or self.low <= amount) and (self.high is None or amount <= self.high)


async def values_between(
    ranges: Sequence[Between],
    categories: Sequence[str] | None,
    *,
    every_category: Sequence[str],
    declared: Sequence[CategoryAttribute],
) -> list[AnyOf]:
    """Each range as the values known in these categories that lie within; without any of them nothing is found."""
    found = await remembered_facets(numbers(categories, every_category=every_category))
    known = {each.name: [value.value for value in each.values] for each in found}
    units = {each.name: each.unit for each in declared}
    return [_within(each, known.get(each.name, []), units.get(each.name)) for each in ranges]


def _within(asked: Between, values: Sequence[str], unit: str | None) -> AnyOf:
    """The unit is the declared one; None: not declared, then that of most values."""
    unit = usual_unit(values) if unit is None else unit
    amounts = {value: amount for value in values if (amount := amount_in(value, unit)) is not None}
    chosen = (value for value, amount in amounts.items() if asked.holds(amount))
    return AnyOf(asked.name, tuple(value for value in chosen if not asked.among or value in asked.among))
