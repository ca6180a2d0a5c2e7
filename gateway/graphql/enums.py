"""Enums of the domains as the API shows them, with a description of each value for those who build frontends."""

from collections.abc import Mapping
from enum import Enum
from typing import TypeVar

import strawberry
from strawberry.types.enum import StrawberryEnumDefinition

E = TypeVar("E", bound=Enum)


def described_enum(enum: type[E], name: str, description: str, values: Mapping[E, str]) -> type[E]:
    """Make the enum one of the schema: a domain does not know what is said of it there."""
    shown = strawberry.enum(enum, name=name, description=description)
    definition: StrawberryEnumDefinition = shown.__strawberry_definition__  # type: ignore[attr-defined]
    for value in definition.values:
        value.description = values[enum[value.name]]
    return shown
