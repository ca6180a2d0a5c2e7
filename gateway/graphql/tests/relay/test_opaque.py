"""Ids and cursors: what is given out comes back the same; anything else comes back as nothing."""

import base64
import json
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from bson import Decimal128
from hypothesis import given
from hypothesis import strategies as st

from gateway.graphql.inputs import BadInput
from gateway.graphql.relay.cursors import MONEY, NUMBER, TEXT, TIME, Kind, cursor, parsed_cursor
from gateway.graphql.relay.ids import MAX_PART, global_id, key_of, parsed_id
from gateway.graphql.relay.opaque import opened, sealed

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=80)
parts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=MAX_PART)
amounts = st.decimals(min_value=0, max_value=Decimal("9999999999.99"), places=2)
moments = st.datetimes(datetime(1970, 1, 1), datetime(9000, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001
json_values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4),
)


@given(st.lists(texts, min_size=1, max_size=4))
def test_what_is_sealed_opens(values: list[str]) -> None:
    assert opened(sealed(*values)) == tuple(values)


@given(st.text(max_size=200) | st.binary(max_size=100).map(lambda raw: base64.urlsafe_b64encode(raw).decode()))
def test_any_other_text_opens_to_strings_or_to_nothing(text: str) -> None:
    found = opened(text)

    assert found is None or (all(isinstance(part, str) for part in found) and sealed(*found) == text)


@given(json_values)
def test_crafted_json_never_becomes_anything_but_strings(value: Any) -> None:
    crafted = base64.urlsafe_b64encode(json.dumps(value, separators=(",", ":")).encode()).rstrip(b"=").decode()
    found = opened(crafted)

    assert found is None or all(isinstance(part, str) for part in found)


def test_deep_nesting_is_refused() -> None:
    assert opened(base64.urlsafe_b64encode(b"[" * 2_500).decode()) is None


@given(st.lists(parts, min_size=1, max_size=3))
def test_id_carries_its_key(key: list[str]) -> None:
    text = global_id("Product", *key)

    assert parsed_id(text) == ("Product", tuple(key))
    assert key_of("Product", text, len(key)) == tuple(key)
    assert key_of("Cart", text, len(key)) is None
    assert key_of("Product", text, len(key) + 1) is None


@pytest.mark.parametrize("key", [("",), ("a" * (MAX_PART + 1),), ("a\0",), ()])
def test_impossible_key_is_no_id(key: tuple[str, ...]) -> None:
    assert parsed_id(sealed("Product", *key)) is None


@given(st.data())
def test_cursor_brings_its_values_back_exactly(data: st.DataObject) -> None:
    kind, values = data.draw(
        st.sampled_from(
            [
                (MONEY, amounts.map(Decimal128)),
                (TIME, moments.map(lambda moment: moment.replace(microsecond=moment.microsecond // 1000 * 1000))),
                (TEXT, texts),
                (NUMBER, st.integers(0, 10)),
            ]
        )
    )
    value, id_ = data.draw(values), data.draw(parts)

    assert parsed_cursor(cursor("SORT", kind, value, id_), "SORT", kind) == (value, id_)


@pytest.mark.parametrize("kind", [MONEY, TIME, TEXT, NUMBER])
@given(value=st.text(max_size=30), id_=st.text(max_size=80))
def test_crafted_cursor_gives_a_value_of_its_type_or_an_error(kind: Kind, value: str, id_: str) -> None:
    types = {MONEY: Decimal128, TIME: datetime, TEXT: str, NUMBER: int}
    try:
        text = sealed("SORT", value, id_)
    except UnicodeEncodeError:
        return
    try:
        found, found_id = parsed_cursor(text, "SORT", kind)
    except BadInput:
        return
    assert type(found) is types[kind]
    assert found_id == id_


@given(parts)
def test_cursor_of_another_sort_is_told_apart(id_: str) -> None:
    with pytest.raises(BadInput, match="PRICE_ASC"):
        parsed_cursor(cursor("PRICE_ASC", TEXT, "a", id_), "NAME", TEXT)


def test_message_is_in_the_language_of_the_caller() -> None:
    with pytest.raises(BadInput) as caught:
        parsed_cursor("garbage", "NAME", TEXT)

    assert caught.value.message == "Курсор повреждён: «garbage»."
    assert caught.value.in_language("en") == 'The cursor is damaged: "garbage".'
