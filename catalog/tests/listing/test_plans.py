"""What the server examines for a page: keys of one index, as many as are shown and one more."""

from typing import Any

import pytest

from catalog.listing.filters import Wanted
from catalog.listing.pages import Sort, page
from catalog.tests.listing import brute_force
from catalog.tests.listing.wishes import CHECKED, EVERY_CATEGORY, EXACT, EXACT_BY_PRICE, LISTED, MERGED, SEARCHES
from gateway.mongo.client import Document, database
from gateway.mongo.reads import Read
from gateway.paging import Position, Slice

PAGE = 24
FIELD_SORTS = [sort for sort in Sort if sort is not Sort.RELEVANCE]
BY_PRICE = [Sort.PRICE_ASC, Sort.PRICE_DESC]
PAGE_OF_EXACT = [
    *((name, sort) for name in EXACT for sort in FIELD_SORTS),
    *((name, sort) for name in EXACT_BY_PRICE for sort in BY_PRICE),
]


def explained(wanted: Wanted, sort: Sort, part: Slice) -> tuple[dict[str, Any], dict[str, Any]]:
    """Statistics and winning plan of the first read of a page."""
    read = next(page(wanted, sort, part, every_category=EVERY_CATEGORY))
    assert isinstance(read, Read)
    command = {
        "find": read.collection,
        "filter": read.where,
        "sort": dict(read.sort),
        "limit": read.limit,
        "hint": read.hint,
    }
    answer = database().command({"explain": command, "verbosity": "executionStats"})
    return answer["executionStats"], answer["queryPlanner"]["winningPlan"]


def stages(plan: dict[str, Any]) -> set[str]:
    inner = [*plan.get("inputStages", ()), *plan.get("shards", ())]
    inner += [plan[name] for name in ("inputStage", "winningPlan", "queryPlan") if name in plan]
    return {plan["stage"]} | set().union(*map(stages, inner)) if "stage" in plan else set().union(*map(stages, inner))


def middle(documents: list[Document], wanted: Wanted, sort: Sort) -> Position:
    found = brute_force.listed(documents, wanted, sort)
    chosen = found[len(found) // 2]
    document = next(document for document in documents if document["_id"] == chosen)
    return Position(document[sort.value.field], chosen)  # by relevance, of the first rank


@pytest.mark.parametrize("backward", [False, True], ids=["forward", "backward"])
@pytest.mark.parametrize(("name", "sort"), PAGE_OF_EXACT, ids=[f"{name} {sort.name}" for name, sort in PAGE_OF_EXACT])
def test_page_examines_what_it_shows_and_one_more_on_one_shard(
    documents: list[Document], name: str, sort: Sort, backward: bool
) -> None:
    wanted = LISTED[name]
    for beyond in (None, middle(documents, wanted, sort)):
        statistics, plan = explained(wanted, sort, Slice(PAGE, backward, beyond))

        assert statistics["nReturned"] == PAGE + 1
        assert statistics["totalKeysExamined"] <= PAGE + 1
        assert statistics["totalDocsExamined"] <= PAGE + 1
        assert plan["stage"] == "SINGLE_SHARD"
        assert "SORT" not in stages(plan)


@pytest.mark.parametrize("sort", FIELD_SORTS)
@pytest.mark.parametrize("name", MERGED)
def test_several_branches_are_merged_in_order_not_sorted(documents: list[Document], name: str, sort: Sort) -> None:
    wanted = LISTED[name]
    branches = len(wanted.categories or EVERY_CATEGORY) * 2 * 2
    for beyond in (None, middle(documents, wanted, sort)):
        statistics, plan = explained(wanted, sort, Slice(PAGE, beyond=beyond))

        # Each branch holds one key in hand; both shards answer a whole page.
        assert statistics["totalKeysExamined"] <= 2 * (PAGE + 1 + branches)
        assert "SORT" not in stages(plan)


@pytest.mark.parametrize("sort", FIELD_SORTS)
@pytest.mark.parametrize("name", CHECKED)
def test_further_conditions_are_checked_on_the_walk(documents: list[Document], name: str, sort: Sort) -> None:
    statistics, _ = explained(LISTED[name], sort, Slice(PAGE))

    assert statistics["totalKeysExamined"] < len(documents) / 4


@pytest.mark.parametrize("sort", [*BY_PRICE, Sort.RELEVANCE])
@pytest.mark.parametrize("name", SEARCHES)
def test_search_walks_the_terms_of_one_word(documents: list[Document], name: str, sort: Sort) -> None:
    statistics, plan = explained(LISTED[name], sort, Slice(PAGE))

    # A shard that has less than a page may as well sort it.
    assert "COLLSCAN" not in stages(plan)
    assert statistics["totalKeysExamined"] < len(documents) / 4


@pytest.mark.parametrize("sort", [*BY_PRICE, Sort.RELEVANCE])
def test_search_for_one_word_examines_one_page_on_every_shard(documents: list[Document], sort: Sort) -> None:
    wanted = LISTED["one word"]
    beyond = middle(documents, wanted, sort)
    for start in (None, beyond):
        statistics, plan = explained(wanted, sort, Slice(PAGE, beyond=start))

        spellings = len(wanted.words[0].terms)
        assert statistics["totalKeysExamined"] <= 2 * (PAGE + 1 + 2 * spellings)
        assert "SORT" not in stages(plan)
