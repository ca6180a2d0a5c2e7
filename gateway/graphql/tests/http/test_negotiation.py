"""Media types by the Accept header."""

import pytest

from gateway.graphql.http.negotiation import GRAPHQL_RESPONSE, HTML, JSON, chosen


@pytest.mark.parametrize(
    ("accept", "media_type"),
    [
        (None, JSON),
        ("", JSON),
        ("*/*", JSON),
        ("application/*", JSON),
        (JSON, JSON),
        (GRAPHQL_RESPONSE, GRAPHQL_RESPONSE),
        (f"{GRAPHQL_RESPONSE}; charset=utf-8, {JSON}; charset=utf-8", JSON),
        (f"{GRAPHQL_RESPONSE}, {JSON};q=0.9", GRAPHQL_RESPONSE),
        (f"{GRAPHQL_RESPONSE};q=0.1, {JSON};q=0.9", JSON),
        (f"*/*, {JSON};q=0", GRAPHQL_RESPONSE),
        ("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", HTML),
        ("image/png", None),
        (f"{JSON};q=nonsense", None),
    ],
)
def test_preferred_type(accept: str | None, media_type: str | None) -> None:
    assert chosen(accept, (JSON, GRAPHQL_RESPONSE, HTML)) == media_type
