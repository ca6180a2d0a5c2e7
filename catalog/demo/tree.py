"""The category tree of the demo shop and how much each leaf of it sells."""

from collections.abc import Iterator
from itertools import accumulate
from typing import NamedTuple

from catalog.demo.departments import accessories, appliances, computers, leisure, phones, smart_home, tv_audio
from catalog.demo.kinds import Group, Kind

DEPARTMENTS: tuple[Group, ...] = (
    phones.DEPARTMENT,
    computers.DEPARTMENT,
    tv_audio.DEPARTMENT,
    appliances.DEPARTMENT,
    smart_home.DEPARTMENT,
    leisure.GAMING,
    leisure.PHOTO,
    accessories.DEPARTMENT,
)

# The largest first; those not named follow in the order of the tree. Every shop has more cases than cameras.
LARGEST = (
    "smartphones",
    "phone-cases",
    "headphones",
    "notebooks",
    "cables",
    "televisions",
    "chargers",
    "screen-protectors",
    "fridges",
    "monitors",
    "smart-watches",
    "washing-machines",
    "mice",
    "kettles",
    "keyboards",
    "vacuum-cleaners",
    "tablets",
    "power-banks",
)

# Sizes fall as 1/rank to this power: close to Zipf's law, with the largest of 47 at a fifth of all products.
ZIPF = 0.95


class Node(NamedTuple):
    slug: str
    title: str
    path: tuple[str, ...]
    position: int


def nodes() -> Iterator[Node]:
    """Every category, parents before their children."""
    yield from _below(DEPARTMENTS, ())


def _below(children: tuple[Group | Kind, ...], path: tuple[str, ...]) -> Iterator[Node]:
    for position, child in enumerate(children, start=1):
        yield Node(child.slug, child.title, path, position)
        if isinstance(child, Group):
            yield from _below(child.children, (*path, child.slug))


def _kinds(children: tuple[Group | Kind, ...]) -> Iterator[Kind]:
    for child in children:
        if isinstance(child, Group):
            yield from _kinds(child.children)
        else:
            yield child


def _ranked() -> tuple[Kind, ...]:
    in_tree = {kind.slug: kind for kind in _kinds(DEPARTMENTS)}
    largest = [in_tree.pop(slug) for slug in LARGEST]
    return (*largest, *in_tree.values())


KINDS = _ranked()
"""Leaves, the largest first."""

CUMULATIVE_WEIGHTS = tuple(accumulate((rank + 1) ** -ZIPF for rank in range(len(KINDS))))
