from decimal import Decimal

import pytest

from catalog.bulk.rounding import Direction, Ending, rounded

NEAREST, DOWN, UP = Direction.NEAREST, Direction.DOWN, Direction.UP


@pytest.mark.parametrize(
    ("amount", "ending", "direction", "expected"),
    [
        ("25743.20", Ending.WHOLE, NEAREST, "25743.00"),
        ("25743.20", Ending.WHOLE, UP, "25744.00"),
        ("25743.20", Ending.NINETY_KOPECKS, NEAREST, "25742.90"),
        ("25743.20", Ending.NINETY_KOPECKS, UP, "25743.90"),
        ("25743.20", Ending.NINE, NEAREST, "25739.00"),
        ("25743.20", Ending.NINE, UP, "25749.00"),
        ("25743.20", Ending.NINETY_NINE, NEAREST, "25699.00"),
        ("25743.20", Ending.NINETY_NINE, UP, "25799.00"),
        ("25799.00", Ending.NINETY_NINE, UP, "25799.00"),
        ("25799.00", Ending.NINETY_NINE, DOWN, "25799.00"),
        ("25799.01", Ending.NINETY_NINE, DOWN, "25799.00"),
        ("25798.99", Ending.NINETY_NINE, DOWN, "25699.00"),
    ],
)
def test_a_price_gets_its_ending(amount: str, ending: Ending, direction: Direction, expected: str) -> None:
    assert rounded(Decimal(amount), ending, direction) == Decimal(expected)


def test_of_two_equally_near_the_lower_is_taken() -> None:
    assert rounded(Decimal("10.50"), Ending.WHOLE) == 10
    assert rounded(Decimal("14.00"), Ending.NINE) == 9
    assert rounded(Decimal("149.00"), Ending.NINETY_NINE) == 99


def test_nothing_is_rounded_to_less_than_the_first_ending() -> None:
    assert rounded(Decimal("0.40"), Ending.WHOLE, DOWN) == 1
    assert rounded(Decimal("0.40"), Ending.NINETY_KOPECKS, DOWN) == Decimal("0.90")
    assert rounded(Decimal("3.00"), Ending.NINE) == 9
    assert rounded(Decimal("40.00"), Ending.NINETY_NINE, DOWN) == 99


@pytest.mark.parametrize("ending", Ending)
@pytest.mark.parametrize("direction", Direction)
def test_rounding_again_changes_nothing(ending: Ending, direction: Direction) -> None:
    amounts = [Decimal(kopecks) / 100 for kopecks in range(1, 40_000, 7)]

    once = [rounded(amount, ending, direction) for amount in amounts]

    assert [rounded(amount, ending, direction) for amount in once] == once
    assert all(amount > 0 for amount in once)
