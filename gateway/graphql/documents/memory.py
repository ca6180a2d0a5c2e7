"""A memory bounded in bytes, which are measured on what is kept."""

import gc
import sys
from collections import OrderedDict
from collections.abc import Callable
from enum import Enum
from types import NoneType
from typing import Generic, NamedTuple, TypeVar

T = TypeVar("T")

# There once for the whole process, whoever refers to them.
SHARED = (type, Enum, NoneType, bool)
# What an instance spends on its attributes besides the values: `sys.getsizeof` counts neither.
ATTRIBUTES, ATTRIBUTE = 16, 8
# The key, the entry and its links in the dictionary.
ENTRY = 400


def size_of(thing: object) -> int:
    """The bytes that would be freed with the thing: its own and those of everything that it refers to."""
    seen: set[int] = set()
    total = 0
    level = [thing]
    while level:
        fresh = {id(found): found for found in level if id(found) not in seen and not isinstance(found, SHARED)}
        seen |= fresh.keys()
        with_attributes = [found for found in fresh.values() if type(found).__dictoffset__]
        total += sum(map(sys.getsizeof, fresh.values()))
        total += ATTRIBUTES * len(with_attributes) + ATTRIBUTE * len(gc.get_referents(*with_attributes))
        level = gc.get_referents(*fresh.values())
    return total


class _Kept(NamedTuple, Generic[T]):
    thing: T
    bytes: int


class Memory(Generic[T]):
    """Keeps what was used last; what was not used for longest is forgotten first."""

    def __init__(self, most_bytes: Callable[[], int]) -> None:
        self._most_bytes = most_bytes
        self._kept: OrderedDict[bytes, _Kept[T]] = OrderedDict()
        self.bytes = 0

    def __len__(self) -> int:
        return len(self._kept)

    def get(self, key: bytes) -> T | None:
        if key not in self._kept:
            return None
        self._kept.move_to_end(key)
        return self._kept[key].thing

    def keep(self, key: bytes, thing: T, size: int) -> None:
        """Remember the thing; `size` is that of the thing alone, as `size_of` measures it."""
        self._forget(key)
        self._kept[key] = _Kept(thing, ENTRY + size)
        self.bytes += ENTRY + size
        while self.bytes > self._most_bytes():
            self._forget(next(iter(self._kept)))

    def _forget(self, key: bytes) -> None:
        if (kept := self._kept.pop(key, None)) is not None:
            self.bytes -= kept.bytes
