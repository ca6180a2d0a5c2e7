"""Counting the words of the shop: all of them every few hours, those of products edited since every minute.

A count reads every product for sale from secondaries, a bounded page at a time, and rests as long as it has worked.
Killed, it leaves the edition before; whoever counts at the same time writes the same.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import lru_cache

import structlog

from catalog.documents import ProductDocument
from catalog.models import BY_CATEGORY_AND_ID, BY_EDITED, ON_SALE, Product
from catalog.search.synonyms import all_groups
from catalog.search.vocabulary.claim import Claim, claimed
from catalog.search.vocabulary.editions import COUNTED, RECENT, counted_words, editions, keep_edition
from catalog.search.words import words_in
from gateway.mongo.policies import SEARCH_VOCABULARY, STAFF_LIST, Policy
from gateway.mongo.reads import Read, run

log = structlog.get_logger(__name__)

PRODUCTS = Product._meta.db_table
FIELDS = ("category", "sort_name", "facets", "withdrawn")

# Some hundred kilobytes at once, read in some ten milliseconds.
PAGE = 1000
# How long frequencies may be old. New words do not wait for it; words that nothing has any more go with it.
EVERY = timedelta(hours=6)
# After so many edits it is counted anew, though not more often than this: a feed changes everything for an hour.
RECENT_EDITS = 5000
AT_MOST_EVERY = timedelta(minutes=20)
# What was edited a little before a count began may not have reached the secondary that it read.
SLACK = timedelta(minutes=10)
# Of a count under way: beyond it, words that only one product has had so far are dropped.
MAX_COUNTED = 1_000_000

Branches = Mapping[str, Sequence[str]]
"""Categories that buyers are shown: by slug, the names of each and of those above it."""


def keep_vocabulary(branches: Branches, now: datetime | None = None) -> None:
    """Count all words if it is time to, or else those that have come up since the last count."""
    began_at = now or datetime.now(UTC)
    counted = run(editions(STAFF_LIST)).get(COUNTED)
    age = began_at - counted.began_at.replace(tzinfo=UTC) if counted else None
    if counted is None or age is None or age > EVERY:
        _count_alone(branches, began_at)
        return
    edited = run(_edited_since(counted.began_at - SLACK, branches))
    if len(edited) > RECENT_EDITS and age > AT_MOST_EVERY:
        _count_alone(branches, began_at)
        return
    _keep_recent(branches, edited, began_at)


def count_vocabulary(
    branches: Branches,
    *,
    policy: Policy = SEARCH_VOCABULARY,
    began_at: datetime | None = None,
    claim: Claim | None = None,
    rest: float = 0,
    report: Callable[[int], None] = lambda _: None,
) -> int:
    """Count the words of all products for sale and keep them; returns how many words there are.

    `policy`: another one than the secondaries' sees what was written a moment ago. `rest`: how long to rest after each
    page, by the time that it took. `report` is told how many products each page had.
    """
    began_at = began_at or datetime.now(UTC)
    frequencies: Counter[str] = Counter()
    for slug, names in branches.items():
        of_branch = frozenset(_words_of(names))
        for page in _pages(slug, policy):
            started = time.monotonic()
            for document in page:
                frequencies.update(_words_of_product(document, of_branch))
            if len(frequencies) > MAX_COUNTED:
                frequencies = Counter({word: times for word, times in frequencies.items() if times > 1})
            if claim:
                claim.renew()
            report(len(page))
            time.sleep(rest * (time.monotonic() - started))
    kept = keep_edition(COUNTED, frequencies, began_at=began_at)
    _keep_recent(branches, (), began_at)
    log.info("vocabulary_counted", words=len(frequencies), kept=kept)
    return len(frequencies)


def _count_alone(branches: Branches, began_at: datetime) -> None:
    with claimed("census") as claim:
        if claim:
            count_vocabulary(branches, began_at=began_at, claim=claim, rest=1)


def _keep_recent(branches: Branches, edited: Sequence[ProductDocument], began_at: datetime) -> None:
    """Keep what the counted edition lacks: words of edited products, names of categories, words of synonyms."""
    counted = run(counted_words())
    found: Counter[str] = Counter()
    for document in edited:
        if not document["withdrawn"]:
            found.update(_words_of_product(document, frozenset(_words_of(branches[document["category"]]))))
    for name in {name for names in branches.values() for name in names}:
        for word in _words_of((name,)):
            found[word] = max(found[word], 1)
    # A spoken brand is as frequent as the written one: it can be mistyped just so.
    for group in run(all_groups()):
        words = set(_words_of(group["words"]))
        most = max((max(counted.get(word, 0), found[word]) for word in words), default=0)
        if most:
            found.update({word: most for word in words if word not in counted and word not in found})
    keep_edition(RECENT, {word: times for word, times in found.items() if word not in counted}, began_at=began_at)


def _pages(slug: str, policy: Policy) -> Iterator[list[ProductDocument]]:
    last = ""
    while page := run(_page(slug, last, policy)):
        yield page
        last = page[-1]["_id"]


def _page(slug: str, after: str, policy: Policy) -> Read[list[ProductDocument]]:
    return Read(
        collection=PRODUCTS,
        policy=policy,
        where={"category": slug, "_id": {"$gt": after}, **ON_SALE},
        fields=FIELDS,
        sort=(("_id", 1),),
        limit=PAGE,
        hint=BY_CATEGORY_AND_ID.name,
        result=list,
    )


def _edited_since(moment: datetime, branches: Branches) -> Read[list[ProductDocument]]:
    """Products edited since, at most a few more than are looked at. Asks every shard that has such categories."""
    return Read(
        collection=PRODUCTS,
        policy=SEARCH_VOCABULARY,
        where={"category": {"$in": sorted(branches)}, "edited_at": {"$gte": moment}},
        fields=FIELDS,
        limit=RECENT_EDITS + 1,
        hint=BY_EDITED.name,
        result=list,
    )


def _words_of_product(document: ProductDocument, of_branch: frozenset[str]) -> set[str]:
    words = set(of_branch)
    words.update(words_in(document["sort_name"]))
    for each in document["facets"]:
        words |= _words_of_facet(each)
    return words


# Products share most of their values.
@lru_cache(maxsize=50_000)
def _words_of_facet(facet: str) -> frozenset[str]:
    return frozenset(words_in(facet.partition("=")[2]))


def _words_of(texts: Sequence[str]) -> Iterator[str]:
    for text in texts:
        yield from words_in(text)
