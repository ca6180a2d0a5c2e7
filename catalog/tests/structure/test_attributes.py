"""The attributes that products of a category are expected to have: declared, inherited, and edited by two at once."""

from collections.abc import Sequence
from functools import partial

import pytest
from pymongo.database import Database

from catalog.structure.attributes import AttributeType, CategoryAttribute, attributes_of, own_attributes, set_attributes
from catalog.tests.shop import MARINA, everything, raised
from gateway.audit.trail import Actor
from gateway.domain.errors import DomainError
from gateway.mongo.client import Document
from gateway.tests.races import at_once

PETER = Actor("2", "peter@mobile-world.example")
COLOUR = CategoryAttribute("Цвет", AttributeType.CHOICE, position=10, options=("чёрный", "белый"))
WEIGHT = CategoryAttribute("Вес", AttributeType.NUMBER, "г", 20, filterable=False)
MICROPHONE = CategoryAttribute("Микрофон", AttributeType.FLAG, position=30)
set_ = partial(set_attributes, actor=MARINA)


def test_attributes_are_kept_in_their_order_and_told_in_the_audit(shop: Database[Document]) -> None:
    set_("audio", [WEIGHT._replace(name=" Вес "), COLOUR])

    assert own_attributes("audio") == [COLOUR, WEIGHT]
    (entry,) = shop["audit"].find()
    assert (entry["action"], entry["target"]) == ("category.changed", "category:audio")
    assert entry["changes"] == {
        "attributes.Цвет": [None, "выбор, чёрный / белый, порядок 10"],
        "attributes.Вес": [None, "число, г, без фильтра, порядок 20"],
    }


def test_attributes_of_those_above_are_inherited_and_the_nearest_counts(shop: Database[Document]) -> None:
    set_("sound", [COLOUR, WEIGHT])

    set_("audio", [WEIGHT._replace(unit="кг"), MICROPHONE])

    assert attributes_of("audio") == [COLOUR, WEIGHT._replace(unit="кг"), MICROPHONE]
    assert attributes_of("video") == attributes_of("nowhere") == own_attributes("nowhere") == []


def test_same_attributes_again_leave_no_trace(shop: Database[Document]) -> None:
    set_("audio", [COLOUR, WEIGHT])
    before = everything(shop)

    set_("audio", [WEIGHT, COLOUR])

    assert everything(shop) == before


@pytest.mark.parametrize(
    ("wanted", "reasons"),
    [
        ([COLOUR._replace(name=" ")], [("REQUIRED", ("attributes", 0, "name"))]),
        ([WEIGHT, COLOUR._replace(name="a=b")], [("INVALID", ("attributes", 1, "name"))]),
        ([WEIGHT, WEIGHT], [("INVALID", ("attributes", 1, "name"))]),
        ([WEIGHT._replace(unit="x" * 17)], [("INVALID", ("attributes", 0, "unit"))]),
        ([WEIGHT._replace(position=-1)], [("INVALID", ("attributes", 0, "position"))]),
        ([WEIGHT._replace(options=("1",))], [("INVALID", ("attributes", 0, "options"))]),
        ([COLOUR._replace(options=(" ",))], [("REQUIRED", ("attributes", 0, "options"))]),
        ([COLOUR._replace(options=("белый", "белый "))], [("INVALID", ("attributes", 0, "options"))]),
        ([COLOUR._replace(options=("x" * 129,))], [("INVALID", ("attributes", 0, "options"))]),
        ([COLOUR._replace(options=tuple(map(str, range(51))))], [("INVALID", ("attributes", 0, "options"))]),
        ([WEIGHT._replace(name=str(number)) for number in range(51)], [("INVALID", ("attributes",))]),
    ],
)
def test_refused_attributes_say_why_and_nothing_changes(
    shop: Database[Document], wanted: Sequence[CategoryAttribute], reasons: list[tuple[str, tuple[str, ...]]]
) -> None:
    before = everything(shop)

    assert raised(lambda: set_("audio", wanted)) == reasons

    assert everything(shop) == before


def test_attributes_of_no_category_are_refused(shop: Database[Document]) -> None:
    assert raised(lambda: set_("nowhere", [COLOUR])) == [("NOT_FOUND", ())]


def test_of_two_editors_of_the_same_list_the_second_is_told(shop: Database[Document]) -> None:
    answers = at_once(
        partial(set_attributes, "audio", [COLOUR], actor=MARINA, seen=[]),
        partial(set_attributes, "audio", [WEIGHT], actor=PETER, seen=[]),
    )

    (refusal,) = [answer for answer in answers if isinstance(answer, DomainError)]
    assert refusal.code.value == "CONFLICT"
    assert own_attributes("audio") == ([COLOUR] if answers[0] is None else [WEIGHT])
    assert shop["audit"].count_documents({}) == 1
