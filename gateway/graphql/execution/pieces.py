"""Pieces of generated code, and what they need."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from gateway.graphql.projection import Reads, merged


@dataclass(frozen=True, slots=True)
class Needs:
    """What a piece of generated code needs to be given, and what it reads."""

    is_async: bool = False
    path: bool = False
    info: bool = False
    objects: int = 0
    """That it makes whenever it is run, besides those that it counts itself."""
    below: Reads = field(default_factory=dict)


def all_of(needs: Iterable[Needs]) -> Needs:
    """What several pieces need together."""
    found = list(needs)
    return Needs(
        any(each.is_async for each in found),
        any(each.path for each in found),
        any(each.info for each in found),
        sum(each.objects for each in found),
        merged(each.below for each in found),
    )


@dataclass(frozen=True, slots=True)
class Function:
    """A function that has been written."""

    name: str
    needs: Needs

    @property
    def is_async(self) -> bool:
        return self.needs.is_async

    def call(self, value: str, path: str) -> str:
        given = [value, "r", *([path] if self.needs.path else []), *(["f"] if self.needs.info else [])]
        return f"{self.name}({', '.join(given)})"


@dataclass(frozen=True, slots=True)
class Completion:
    """Code that completes a value: `text(first, again, path)`, where `first` stands where the value is used first."""

    text: Callable[[str, str, str], str]
    needs: Needs

    def of_name(self, name: str, path: str) -> str:
        return self.text(name, name, path)
