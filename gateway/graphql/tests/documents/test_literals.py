"""Documents in the log are those that were sent, without what was in them."""

import pytest
from graphql import parse

from gateway.graphql.documents.literals import without_literals


@pytest.mark.parametrize(
    ("document", "logged"),
    [
        ("{ geozones { code } }", "{\n  geozones {\n    code\n  }\n}"),
        ('mutation { login(email: "a@b.c", password: "p4711") { token } }', "login(email: _, password: _)"),
        ('mutation { login(password: """p4711\n""") { token } }', "login(password: _)"),
        (
            "{ order(id: 4711, at: 47.11, is: true, no: null, kind: P4711) { id } }",
            "(id: _, at: _, is: _, no: _, kind: _)",
        ),
        ('{ f(list: ["p4711", [4711]], object: {a: {b: "p4711"}}) }', "f(list: _, object: _)"),
        ("query ($x: String!) { f(x: $x) }", "query ($x: String!) {\n  f(x: $x)\n}"),
        ('query ($x: [String!] = ["p4711"]) { f(x: $x) }', "$x: [String!] = _"),
        ('{ f @include(if: true) @skip(why: "p4711") }', "f @include(if: _) @skip(why: _)"),
        ("{ # p4711\n f # p4711\n}", "{\n  f\n}"),
        ("{ ...F } fragment F on Q { f(x: [$y, 4711]) }", "f(x: _)"),
        ('"p4711"\nquery Q { f }', ""),
    ],
)
def test_document_is_printed_without_its_values(document: str, logged: str) -> None:
    printed = without_literals(parse(document))

    assert logged in printed
    assert "4711" not in printed
