"""The words in which the demo catalog is written down: a kind of product, its brands, its attributes."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Literal

Gender = Literal["m", "f", "n", "p"]
"""Gender of a noun, so that adjectives and verbs agree with it; p is plural."""

_GENDERS: Sequence[Gender] = ("m", "f", "n", "p")
# The letters without those that are read as digits.
_RANDOM = {"#": "0123456789", "@": "ABCDEFGHKLMNPRSTUVWX"}
_WHOLE_NUMBER = re.compile(r"\D")


_TOKEN = re.compile(r"\{[^}]*\}|<[^>]*>|#|@|[^{<#@]+")


class Pattern:
    """A model name with gaps: `{a|b}` is one of these, `#` a digit, `@` a Latin capital.

    `<Диагональ>` is the whole number that the attribute begins with, so that name and attributes agree.
    """

    def __init__(self, text: str) -> None:
        self._parts = tuple(_part(token) for token in _TOKEN.findall(text))

    def fill(self, attributes: Mapping[str, str], rng: Random) -> str:
        return "".join([part if isinstance(part, str) else part(attributes, rng) for part in self._parts])


def _part(token: str) -> "str | Callable[[Mapping[str, str], Random], str]":
    if token in _RANDOM:
        return lambda _, rng: rng.choice(_RANDOM[token])
    inside = token[1:-1]
    if token.startswith("<"):
        return lambda attributes, _: _WHOLE_NUMBER.split(attributes[inside])[0]
    if token.startswith("{"):
        alternatives = tuple(Pattern(text) for text in inside.split("|"))
        return lambda attributes, rng: rng.choice(alternatives).fill(attributes, rng)
    return token


@dataclass(frozen=True, slots=True)
class Brand:
    name: str
    factor: float
    """How dear it is; 1 is the middle of the market."""
    models: tuple[Pattern, ...]


def brand(name: str, factor: float, *models: str) -> Brand:
    return Brand(name, factor, tuple(Pattern(model) for model in models))


@dataclass(frozen=True, slots=True)
class Trait:
    """An attribute and its values."""

    name: str
    values: tuple[str, ...]
    weight: float
    """How strongly it tells a dear product from a cheap one; its values then go from cheap to dear. 0: not at all."""


def trait(name: str, values: str, weight: float = 0.0) -> Trait:
    return Trait(name, tuple(values.split("|")), weight)


@dataclass(frozen=True, slots=True)
class Kind:
    """What a leaf category sells."""

    slug: str
    title: str
    """Name of the category."""
    noun: str
    gender: Gender
    cheap: int
    dear: int
    """The prices in roubles of a middling brand lie between these."""
    brands: tuple[Brand, ...]
    traits: tuple[Trait, ...]
    detail: str
    """What a name ends with, written with the names of attributes: `{Диагональ}, {цвет}`.

    `{цвет}` agrees with the noun (чёрная), `{Цвет}` is the attribute (чёрный).
    """
    sentences: tuple[str, ...]
    """What only this kind can say of itself, with the names of attributes, `{brand}` and `{model}`."""


@dataclass(frozen=True, slots=True)
class Group:
    """A node of the tree that has others under it."""

    slug: str
    title: str
    children: tuple["Group | Kind", ...]


def agree(text: str, gender: Gender) -> str:
    """Choose the ending that agrees with the noun: `надёжн[ый|ая|ое|ые]`, `создан[|а|о|ы]`."""
    form = _GENDERS.index(gender)
    return re.sub(r"\[([^\]]*)\]", lambda forms: forms[1].split("|")[form], text)


def agreed(adjective: str, gender: Gender) -> str:
    """The adjective («чёрный», «синий») in the gender of a noun."""
    hard = adjective.endswith("ый")
    endings = {
        "m": adjective[-2:],
        "f": "ая" if hard else "яя",
        "n": "ое" if hard else "ее",
        "p": "ые" if hard else "ие",
    }
    return adjective[:-2] + endings[gender]
