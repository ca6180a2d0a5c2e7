"""What preparing a document may take, and what is kept of it."""

import gc
import sys
import tracemalloc
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from django.test import override_settings
from graphql import parse

from gateway.graphql.documents.cache import Documents, PreparedDocument
from gateway.graphql.documents.memory import size_of
from gateway.graphql.errors import RequestRefused
from gateway.graphql.tests.attacks import KINDS, PAGE, broken, comment, fragments_side_by_side, repeated_fields
from gateway.graphql.tests.shop import documents

Kind = Callable[[int], str]
# A document as large as may be has thirty times the tokens of a page's.
MOST_TIMES_A_PAGE = 60
# Names of the methods that visitors look for stay in a cache of the interpreter, up to four thousand of them.
CACHED_BY_PYTHON = 300_000


def outcome(remembered: Documents, text: str) -> PreparedDocument | RequestRefused:
    try:
        return remembered.prepared(text)
    except RequestRefused as refused:
        return refused


@contextmanager
def traced() -> Iterator[Callable[[], int]]:
    """How many of the bytes allocated inside are still in use."""
    tracemalloc.start()

    def used() -> int:
        gc.collect()
        return tracemalloc.get_traced_memory()[0]

    try:
        yield used
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind is not broken])
def test_measured_size_is_the_memory_that_a_document_takes(kind: Kind) -> None:
    text = kind(1)
    with traced() as used:
        # The first fills the interpreter's own stores of spare objects.
        parse(text, no_location=True)
        before = used()
        kept = [parse(text, no_location=True) for _ in range(20)]
        taken = used() - before

    measured = sum(map(size_of, kept))
    # Other threads of the process take a little meanwhile.
    assert 0.8 * measured - 10_000 < taken < 1.1 * measured + 10_000


def test_memory_of_documents_stays_within_its_bytes_whatever_is_sent() -> None:
    remembered, bound = documents(), 200_000
    with override_settings(GRAPHQL_REMEMBERED_BYTES=bound), traced() as used:
        outcome(remembered, PAGE)
        before = used()
        for kind in KINDS:
            outcome(remembered, kind(1))
        for number in range(20):
            outcome(remembered, comment(number))
        kept = used() - before

    assert bound / 2 < remembered.bytes <= bound
    assert kept < 1.2 * bound + CACHED_BY_PYTHON


def test_comments_and_the_text_are_not_kept() -> None:
    remembered = documents()

    plain, commented = remembered.prepare("{ __typename }"), remembered.prepare(comment(1))

    assert plain.bytes == commented.bytes
    assert isinstance(commented.found, PreparedDocument)
    assert commented.found.document.loc is None


def test_refusals_do_not_drive_out_what_the_shop_needs() -> None:
    remembered = documents()
    with override_settings(GRAPHQL_REMEMBERED_BYTES=200_000):
        page = remembered.prepared(PAGE)
        for number in range(300):
            outcome(remembered, f"{{ nothing{number} }}")

        assert remembered.prepared(PAGE) is page
        assert remembered.bytes < 200_000 / 8 + size_of(page) + 1_000


def test_documents_used_last_are_remembered() -> None:
    remembered = documents()
    with override_settings(GRAPHQL_REMEMBERED_BYTES=50_000):
        first = remembered.prepared("{ geozones { code } }")
        assert remembered.prepared("{ geozones { code } }") is first
        for number in range(60):
            remembered.prepared(f"query Q{number} {{ geozones {{ code }} }}")

        assert remembered.prepared("{ geozones { code } }") is not first


def test_remembered_refusal_keeps_nothing_of_the_request_it_was_told_to() -> None:
    class Request:
        """Something large."""

    remembered = documents()

    def ask() -> weakref.ref[Request]:
        request = Request()
        with pytest.raises(RequestRefused):
            remembered.prepared("{ nothing }")
        return weakref.ref(request)

    asked = [ask() for _ in range(3)]
    gc.collect()

    assert [request() for request in asked] == [None, None, None]


def calls_to_prepare(text: str) -> int:
    """Work, counted: how many functions are called."""
    remembered = documents()
    calls = 0

    def count(*_: object) -> None:
        nonlocal calls
        calls += 1

    sys.setprofile(count)
    try:
        remembered.prepare(text)
    finally:
        sys.setprofile(None)
    return calls


@pytest.mark.parametrize("kind", KINDS)
def test_hostile_document_makes_no_more_work_than_its_size_allows(kind: Kind) -> None:
    assert calls_to_prepare(kind(1)) < MOST_TIMES_A_PAGE * calls_to_prepare(PAGE)


@pytest.mark.parametrize("kind", [repeated_fields, fragments_side_by_side])
def test_comparing_fields_with_each_other_has_a_budget(kind: Kind) -> None:
    with override_settings(GRAPHQL_MAX_COMPARISONS=1_000):
        refused = outcome(documents(), kind(1))

    assert isinstance(refused, RequestRefused)
    assert refused.formatted("en") == [
        {
            "message": "Comparisons of fields with each other: > 1000, at most 1000 allowed.",
            "extensions": {"code": "LIMIT_EXCEEDED", "limit": "comparisons", "value": "> 1000", "maximum": 1_000},
        }
    ]


def test_page_is_far_below_the_budget_of_comparisons() -> None:
    with override_settings(GRAPHQL_MAX_COMPARISONS=10):
        assert isinstance(outcome(documents(), PAGE), PreparedDocument)
