"""Who gets one answer: whoever asks the same operation with the same variables in the same language."""

from typing import Any

import pytest
from graphql import OperationDefinitionNode, parse

from gateway.domain.texts import Language
from gateway.graphql.answers.keys import key_of

TEXT = "query A($slug: String = null, $first: Int) { __typename } query B($slug: String) { __typename }"
OPERATION, OTHER = (node for node in parse(TEXT).definitions if isinstance(node, OperationDefinitionNode))


def key(
    variables: dict[str, Any],
    *,
    text: str = TEXT,
    operation: OperationDefinitionNode = OPERATION,
    language: Language = "ru",
) -> bytes:
    return key_of(text, operation, variables, language)


def test_everything_that_may_change_the_answer_makes_another_key() -> None:
    keys = [
        key({}),
        key({}, language="en"),
        key({}, operation=OTHER),
        key({}, text=TEXT + " "),
        key({"slug": None}),
        key({"slug": ""}),
        key({"slug": "null"}),
        key({"first": 1}),
        key({"first": 1.0}),
        key({"first": True}),
        key({"first": "1"}),
        key({"first": 2**70}),
        key({"first": [1]}),
        key({"slug": "a", "first": 1}),
    ]

    assert len(set(keys)) == len(keys)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"slug": "a", "first": 1}, {"first": 1, "slug": "a"}),
        ({"slug": {"b": 1, "a": 2}}, {"slug": {"a": 2, "b": 1}}),
        ({"slug": "a"}, {"slug": "a", "nobody": "asks for this"}),
        ({"first": 2**70, "slug": "a"}, {"slug": "a", "first": 2**70}),
    ],
)
def test_order_and_what_the_operation_does_not_declare_make_none(one: dict[str, Any], other: dict[str, Any]) -> None:
    assert key(one) == key(other)
