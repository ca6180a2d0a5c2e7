"""From what a person typed to the terms that are looked for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog.products.derived import terms_of
from catalog.search.query import MAX_WORDS, words_asked


def finds(query: str, name: str, description: str = "") -> bool:
    terms = terms_of("PROD-77", "things", name, description)
    words = words_asked(query)
    return bool(words) and all(word.is_in(terms) for word in words)


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("смартфоны", "Смартфон Honor"),
        ("беспроводных наушников", "Наушники беспроводные JBL"),
        ("running shoes", "Shoes for runs"),
        ("шзрщту", "Apple iPhone 15"),
        ("ghbdtn", "Привет"),
        ("yjen,er", "Ноутбук ASUS"),
        ("[kt,", "Хлеб"),
        ("айфон", "Apple iPhone 15"),
        ("айфоном", "Apple iPhone 15"),
        ("fqajy", "Apple iPhone 15"),
        ("самсунг", "Samsung Galaxy"),
        ("самсунга", "Samsung Galaxy"),
        ("samsung", "Телефон Самсунг"),
        ("сяоми", "Xiaomi Redmi"),
        ("xiaomi", "Смартфон Сяоми"),
        ("iphone15", "iPhone 15"),
        ("iPhone 15", "Apple iPhone15"),
        ("256гб", "Флешка 256GB"),
        ("ёлка", "Елка"),
        ("PROD-77", "Что угодно"),
        ("prod_77", "Что угодно"),
        ("77", "Что угодно"),
        ("чехлы", "Чехол"),
        ("защитных стёкол", "Защитное стекло"),
        ("кошелек", "Кошельки"),
        ("батареек", "Батарейка"),
        ("сони", "Sony Bravia"),
        ("sony", "Наушники Сони"),
        ("а16", "Samsung Galaxy A16"),
        ("ps5", "PS 5"),
        ("type-c", "Кабель USB Type C"),
        ("6,7 дюйма", 'Экран 6.7"'),
        ("55 дюймов", "Телевизор 55″"),
        ("5000 мач", "Аккумулятор 5000 мА·ч"),
    ],
)
def test_query_finds_the_product(query: str, name: str) -> None:
    assert finds(query, name)


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("iphone 16", "iPhone 15"),
        ("ssd", "vivo Y36"),
        ("6.7", "6 камер, 7 режимов"),
        ("чайник", "Смартфон"),
        ("PROD-78", "Что угодно"),
        ("", "Смартфон"),
    ],
)
def test_every_word_must_be_found(query: str, name: str) -> None:
    assert not finds(query, name)


def test_stop_words_are_not_looked_for() -> None:
    assert words_asked("чехол для телефона") == words_asked("чехол телефона")


def test_lone_punctuation_is_no_word() -> None:
    assert words_asked("чехол , чёрный ; -") == words_asked("чехол чёрный")


def test_query_is_bounded() -> None:
    assert len(words_asked(" ".join(f"слово{letter}" for letter in "абвгдежзик"))) == MAX_WORDS


@given(st.text(max_size=300))
def test_any_text_gives_few_short_plain_terms(query: str) -> None:
    words = words_asked(query)

    assert len(words) <= MAX_WORDS
    for word in words:
        assert 0 < len(word.entries) <= 8
        assert all(0 < len(term) <= 200 and not term.startswith("$") for term in word.entries)


@given(st.text(min_size=1, max_size=60))
def test_product_is_found_by_its_own_name(name: str) -> None:
    terms = terms_of("P", "things", name)

    assert all(word.is_in(terms) for word in words_asked(name))
