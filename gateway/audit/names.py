"""Names for the codes that entries hold: asked of whoever knows them, once for a page.

The frame knows neither geozones nor orders: `admin_ext`, which knows all domains, registers them.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field

from gateway.audit.labels import Named

Namer = Callable[[Collection[str]], Mapping[str, str]]
"""From codes to their names, in the language of the page; leaves out what it does not know. One read at most."""
Finder = Callable[[str], str | None]
"""From what a person calls an object to its id; None: there is none."""

_NAMERS: dict[Named, Namer] = {}
_FINDERS: dict[str, Finder] = {}


def register_namer(named: Named, namer: Namer) -> None:
    _NAMERS[named] = namer


def register_finder(kind: str, finder: Finder) -> None:
    """`kind`: a code of `gateway.audit.labels.KINDS`."""
    _FINDERS[kind] = finder


def id_of(kind: str, called: str) -> str:
    """The id of the object that a person means; what was typed, if nobody knows better."""
    finder = _FINDERS.get(kind)
    return (finder(called) if finder else None) or called


@dataclass(slots=True)
class Names:
    """The names of some codes. First say which are needed, then read them all, then ask."""

    _needed: dict[Named, set[str]] = field(default_factory=dict)
    _known: dict[tuple[Named, str], str] = field(default_factory=dict)

    def need(self, named: Named, code: str) -> None:
        self._needed.setdefault(named, set()).add(code)

    def read(self) -> None:
        for named, codes in self._needed.items():
            if namer := _NAMERS.get(named):
                self._known |= {(named, code): name for code, name in namer(codes).items()}

    def get(self, named: Named, code: str) -> str | None:
        return self._known.get((named, code))
