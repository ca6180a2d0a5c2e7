"""Columns are known by their names, in both languages; cells mean what people mean by them."""

import pytest

from catalog.exchange.cells import (
    EMPTY_MARK,
    Mark,
    amount_value,
    flag_value,
    guarded,
    harmless,
    images_value,
    meant,
    number_value,
)
from catalog.exchange.columns import match_columns, title_of
from catalog.exchange.errors import (
    BadFlag,
    BadNumber,
    DoubleColumn,
    FileRefused,
    NoIdColumn,
    NothingToChange,
    SheetError,
    UnknownStockColumn,
)
from gateway.domain.errors import DomainError
from gateway.domain.money import NotAnAmount, TooPrecise

GEOZONES = {"msk": "Москва", "spb": "Санкт-Петербург"}


@pytest.mark.parametrize(
    ("names", "fields"),
    [
        (["Артикул", "Наименование", "Цена, ₽"], ["id", "name", "base_price"]),
        (["ID", " sale  PRICE ", "Withdrawn"], ["id", "sale_price", "withdrawn"]),
        (["sku", "цена (руб.)", "КАТЕГОРИЯ"], ["id", "base_price", "category"]),
        (
            ["Код товара", "характеристика: Цвет", "Attribute: Объём, л"],
            ["id", "attributes.Цвет", "attributes.Объём, л"],
        ),
        (["id", "Остаток: москва", "stock: SPB"], ["id", "stock.msk", "stock.spb"]),
        (["id", "'=Цена", "Цена", "Причина отказа"], ["id", None, "base_price", None]),
    ],
)
def test_columns_are_known_by_their_names(names: list[str], fields: list[str | None]) -> None:
    assert list(match_columns(names, GEOZONES).fields) == fields


def test_unknown_columns_are_told() -> None:
    assert match_columns(["id", "Цена", "Поставщик", "", "Reason of refusal"], GEOZONES).unknown == ("Поставщик",)


@pytest.mark.parametrize(
    ("names", "error"),
    [
        (["Название", "Цена"], NoIdColumn),
        (["id", "Артикул", "Цена"], DoubleColumn),
        (["id", "Цена", "Price"], DoubleColumn),
        (["id", "Остаток: Москва", "Stock: msk"], DoubleColumn),
        (["id", "Остаток: Мосвка"], UnknownStockColumn),
        (["id", "Поставщик"], NothingToChange),
    ],
)
def test_unclear_columns_are_refused(names: list[str], error: type[FileRefused]) -> None:
    with pytest.raises(error):
        match_columns(names, GEOZONES)


def test_geozones_of_one_name_are_told_by_their_codes() -> None:
    twins = {"msk": "Москва", "mow": "Москва"}

    assert [title_of(f"stock.{code}", twins, "ru") for code in twins] == ["Остаток: msk", "Остаток: mow"]


@pytest.mark.parametrize(
    ("cell", "amount"),
    [
        ("25990", "25990.00"),
        ("25\u00a0990,50 ₽", "25990.50"),
        ("25,990.50", "25990.50"),
        ("1.234.567,8", "1234567.80"),
        ("25990.5", "25990.50"),
    ],
)
def test_amounts_are_read_as_people_write_them(cell: str, amount: str) -> None:
    assert amount_value(cell) == amount


@pytest.mark.parametrize(
    ("cell", "error"), [("дорого", NotAnAmount), ("-5", NotAnAmount), ("1,999", TooPrecise), ("#N/A", SheetError)]
)
def test_what_is_no_amount_is_refused(cell: str, error: type[DomainError]) -> None:
    with pytest.raises(error):
        amount_value(cell)


@pytest.mark.parametrize(("cell", "number"), [("7", 7), ("1 000", 1000), ("5,0", 5), ("12.00", 12)])
def test_numbers_are_read_as_people_write_them(cell: str, number: int) -> None:
    assert number_value(cell) == number


@pytest.mark.parametrize("cell", ["-1", "1,5", "+5", "много", "9" * 30])
def test_what_is_no_whole_number_is_refused(cell: str) -> None:
    with pytest.raises(BadNumber):
        number_value(cell)


@pytest.mark.parametrize(
    ("cell", "flag"), [("да", True), ("YES", True), ("1", True), ("Нет", False), ("false", False), ("−", False)]
)
def test_flags_are_read_as_people_write_them(cell: str, flag: bool) -> None:
    assert flag_value(cell) is flag


def test_what_is_no_flag_is_refused() -> None:
    with pytest.raises(BadFlag):
        flag_value("может быть")


def test_images_are_lines() -> None:
    assert images_value("/a.jpg вид спереди\n\n /b.jpg ") == [
        {"url": "/a.jpg", "alt": "вид спереди"},
        {"url": "/b.jpg", "alt": ""},
    ]


@pytest.mark.parametrize(
    ("cell", "meaning"),
    [
        ("", Mark.KEPT),
        ("  ", Mark.KEPT),
        ("[пусто]", Mark.EMPTIED),
        ("[Empty] ", Mark.EMPTIED),
        ("'[пусто]", "[пусто]"),
        ("'=1+1", "=1+1"),
        ("=1+1", "=1+1"),
        ("''так", "'так"),
        ("'так", "'так"),
    ],
)
def test_cell_means(cell: str, meaning: str | Mark) -> None:
    assert meant(cell) == meaning


@pytest.mark.parametrize("text", ["=cmd|'/C calc'!A0", "+7", "-5", "@x", "\tx", "'x", "''", EMPTY_MARK, "x", "＝1"])
def test_guarded_text_begins_no_formula_and_means_itself(text: str) -> None:
    cell = guarded(text)

    assert cell[0] not in "=+-@\t\r＝"
    assert meant(cell) == text
    assert harmless(cell) == cell
