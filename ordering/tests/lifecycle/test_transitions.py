"""The table of moves: every pair of statuses, and who may make each."""

import re
from itertools import product
from pathlib import Path

import pytest

from catalog.tests.shop import raised
from gateway.domain.texts import Language
from ordering.errors import IllegalTransition
from ordering.lifecycle.status_names import STATUS_NAMES
from ordering.lifecycle.transitions import TRANSITIONS, Who, is_legal, transition
from ordering.models import OrderStatus

S = OrderStatus
DOCUMENT = Path(__file__).parents[3] / "docs" / "orders.md"

LEGAL: dict[tuple[OrderStatus, OrderStatus], tuple[set[Who], str | None]] = {
    (S.NEW, S.PAID): ({Who.PAYMENTS}, "write_off"),
    (S.NEW, S.CANCELLED): ({Who.BUYER, Who.STAFF}, "release"),
    (S.NEW, S.EXPIRED): ({Who.SYSTEM}, "release"),
    (S.EXPIRED, S.PAID): ({Who.PAYMENTS}, "write_off"),
    (S.PAID, S.PROCESSING): ({Who.STAFF}, None),
    (S.PROCESSING, S.SHIPPED): ({Who.STAFF}, None),
    (S.SHIPPED, S.DELIVERED): ({Who.STAFF}, None),
    (S.PAID, S.REFUNDED): ({Who.STAFF}, None),
    (S.PROCESSING, S.REFUNDED): ({Who.STAFF}, None),
    (S.SHIPPED, S.REFUNDED): ({Who.STAFF}, None),
    (S.DELIVERED, S.REFUNDED): ({Who.STAFF}, None),
}


@pytest.mark.parametrize(("source", "target"), list(product(OrderStatus, OrderStatus)))
def test_every_pair_of_statuses_is_legal_for_those_in_the_table_only(source: OrderStatus, target: OrderStatus) -> None:
    allowed, stock = LEGAL.get((source, target), (set(), None))

    for who in Who:
        if who in allowed:
            assert is_legal(source.value, target, who)
            assert transition(source.value, target, who).stock == stock
        else:
            code = "FORBIDDEN" if allowed else "ILLEGAL_TRANSITION"
            assert not is_legal(source.value, target, who)
            assert raised(lambda who=who: transition(source.value, target, who)) == [(code, ("to",))]  # type: ignore[misc]


def test_documented_table_is_the_one_in_force() -> None:
    rows = re.findall(r"^\| ([A-Z]+) \| ([A-Z]+) \| ([\w, ]+) \| (\w*|—) \|$", DOCUMENT.read_text(), re.MULTILINE)

    documented = {(source, target): (set(who.split(", ")), stock) for source, target, who, stock in rows}
    assert documented == {
        (each.source.name, each.target.name): ({who.value for who in each.who}, each.stock or "—")
        for each in TRANSITIONS
    }


@pytest.mark.parametrize("language", ["ru", "en"])
def test_refusal_names_statuses_in_its_own_language(language: Language) -> None:
    with pytest.raises(IllegalTransition) as refusal:
        transition("new", S.DELIVERED, Who.STAFF)

    assert set(STATUS_NAMES) == set(OrderStatus)
    assert (
        refusal.value.message(language)
        == {
            "ru": "Заказ «новый»: он не может стать «доставлен».",
            "en": 'The order is "new": it cannot become "delivered".',
        }[language]
    )
