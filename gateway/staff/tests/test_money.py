"""Amounts as staff type them: whatever a person means is understood, whatever is unclear is refused with an example."""

from decimal import Decimal

import pytest
from django import forms
from django.utils import translation

from gateway.staff.money import AsksOfJumps, MoneyField, money_text


class PriceForm(AsksOfJumps, forms.Form):
    price = MoneyField(asks_of_jump=True)
    note = forms.CharField(required=False)


def filled(price: str, before: str | None = None, **more: str) -> PriceForm:
    return PriceForm({"price": price, **more}, initial={"price": Decimal(before)} if before else None)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("25990", "25990.00"),
        ("25 990,50", "25990.50"),
        ("25\u00a0990,50 ₽", "25990.50"),
        ("25\u202f990.5", "25990.50"),
        ("  1\u20092 3 4 руб. ", "1234.00"),
        ("２５,5", "25.50"),
        ("0,10", "0.10"),
        ("007", "7.00"),
        ("5,", "5.00"),
        ("12,500", "12.50"),
        ("9999999999,99", "9999999999.99"),
    ],
)
def test_amount_is_understood_as_people_type_it(typed: str, meant: str) -> None:
    form = filled(typed)

    assert form.is_valid()
    assert str(form.cleaned_data["price"]) == meant


@pytest.mark.parametrize(
    ("typed", "russian", "english"),
    [
        ("много", "Укажите сумму цифрами, например 25 990,50.", "Give an amount in figures, e.g. 25 990.50."),
        ("-5", "Укажите сумму цифрами, например 25 990,50.", "Give an amount in figures, e.g. 25 990.50."),
        ("25,990.50", "Укажите сумму цифрами, например 25 990,50.", "Give an amount in figures, e.g. 25 990.50."),
        ("1e9", "Укажите сумму цифрами, например 25 990,50.", "Give an amount in figures, e.g. 25 990.50."),
        ("NaN", "Укажите сумму цифрами, например 25 990,50.", "Give an amount in figures, e.g. 25 990.50."),
        ("1,999", "Не больше двух знаков после запятой.", "At most two decimals."),
        ("99999999999", "Слишком большая сумма.", "The amount is too large."),
        ("", "Обязательное поле.", "This field is required."),
    ],
)
def test_what_is_no_amount_is_refused_in_both_languages(typed: str, russian: str, english: str) -> None:
    for language, told in (("ru", russian), ("en", english)):
        with translation.override(language):
            assert filled(typed).errors == {"price": [told]}


def test_input_is_text_without_a_wheel_and_shows_the_amount_as_it_is_typed() -> None:
    shown = str(PriceForm(initial={"price": Decimal("25990.5")})["price"])

    assert 'type="text"' in shown
    assert 'inputmode="decimal"' in shown
    assert 'value="25 990,50"' in shown
    with translation.override("en"):
        assert 'value="25 990.50"' in str(PriceForm(initial={"price": Decimal("25990.5")})["price"])


def test_amount_that_was_not_touched_has_not_changed() -> None:
    assert filled("25 990,50", before="25990.50").has_changed() is False
    assert filled("25 990,51", before="25990.50").has_changed() is True


@pytest.mark.parametrize("after", ["150", "50", "100"])
def test_half_is_no_jump(after: str) -> None:
    assert filled(after, before="100").is_valid()


@pytest.mark.parametrize("after", ["150,01", "49,99", "1000"])
def test_jump_is_asked_about_and_what_was_typed_stays(after: str) -> None:
    form = filled(after, before="100", note="долго писал")

    assert form.errors == {"price": ["Цена меняется больше чем наполовину: подтвердите."]}
    assert f'value="{after}"' in str(form["price"])
    assert 'value="долго писал"' in str(form["note"])


def test_tick_confirms_the_amount_that_was_shown_and_no_other() -> None:
    asked = str(filled("1000", before="100")["price"])

    assert "Верно: было 100,00 ₽, станет 1 000,00 ₽" in asked
    assert 'name="price_confirmed" value="1000.00"' in asked

    assert filled("1 000", before="100", price_confirmed="1000.00").is_valid()
    assert not filled("2 000", before="100", price_confirmed="1000.00").is_valid()


def test_first_price_is_no_jump() -> None:
    assert filled("1000").is_valid()


def test_money_is_written_in_the_language_of_the_page() -> None:
    assert money_text(Decimal("25990.5")) == "25 990,50 ₽"
    with translation.override("en"):
        assert money_text(Decimal("25990.5")) == "25,990.50 RUB"
