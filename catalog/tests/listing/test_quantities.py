"""Numbers in the values of attributes, with and without units."""

from decimal import Decimal

import pytest

from catalog.listing.quantities import amount_in, common_unit, usual_unit


@pytest.mark.parametrize(
    ("text", "unit", "amount"),
    [
        ("6.1", "дюймов", "6.1"),
        ("6,7 дюйма", "дюймов", "6.7"),
        (" 13 дюймов ", "дюйм", "13"),
        ("256 ГБ", "ГБ", "256"),
        ("256гб", "ГБ", "256"),
        ("1 ТБ", "ГБ", "1024"),
        ("512 ГБ", "ТБ", "0.5"),
        ("1.5 кг", "г", "1500.0"),
        ("-20 °C", "°C", "-20"),
        ("5000 мА·ч", "мА·ч", "5000"),
    ],
)
def test_number_in_a_unit(text: str, unit: str, amount: str) -> None:
    assert amount_in(text, unit) == Decimal(amount)


@pytest.mark.parametrize(
    ("text", "unit"),
    [
        ("белый", ""),
        ("IP68", ""),
        ("до 8 м", "м"),
        ("1920×1080", ""),
        ("9H", "ГБ"),
        ("", ""),
        ("3 5", ""),
        ("9" * 40, ""),
        ("256 ГБ", "кг"),
    ],
)
def test_what_is_no_number_in_that_unit(text: str, unit: str) -> None:
    assert amount_in(text, unit) is None


def test_unit_that_all_values_have() -> None:
    assert common_unit(["256 ГБ", "512 ГБ", "1 ТБ"]) == "ГБ"
    assert common_unit(["1", "2", "10"]) == ""
    assert common_unit(["1", "2 шт"]) == "шт"
    assert common_unit(["256 ГБ", "кабель"]) is None
    assert common_unit([]) is None
    assert usual_unit(["2 м", "4 м", "45 Вт", "белый"]) == "м"
