"""How good the search is and what it costs: labelled queries and slips of the finger on the demo catalog.

`make bench B=search`. For each class of queries: how many found nothing, precision in the first ten, the milliseconds
of a page in this process, and the keys of indexes that the shards examined for it. ARGS="--products 1000000" for a
large shop, "--keep" to measure again without filling again.
"""

import argparse
import sys
import time
from collections import defaultdict
from collections.abc import Sequence
from statistics import mean, median
from typing import Any, NamedTuple

from django.core.management import call_command

from bench.shop import begin_anew
from catalog.documents import ProductDocument
from catalog.listing.filters import Wanted
from catalog.listing.pages import Sort
from catalog.listing.searches import search
from catalog.products.cards import PRODUCTS
from catalog.search.alternatives import current_blocking as synonyms
from catalog.search.lexicon import Lexicon, Words
from catalog.search.readings import readings
from catalog.search.vocabulary.memory import current_blocking as vocabulary
from catalog.structure.category_tree import CATEGORIES
from catalog.tests.search.labelled import QUERIES, precision
from catalog.tests.search.slips import SLIPS, slips
from gateway.mongo.client import database
from gateway.mongo.reads import Read, Steps, run
from gateway.paging import Slice

SHOWN = 10
# Of each class of slips; words of fewer products tell nothing of the search.
NUMBER, FREQUENT = 100, 5
FIELDS = ("category", "name", "attributes")


class Asked(NamedTuple):
    products: Sequence[ProductDocument]
    milliseconds: float
    keys: int


def main() -> None:
    parser = argparse.ArgumentParser(description="Quality and cost of the search.")
    parser.add_argument("--products", type=int, default=20_000)
    parser.add_argument("--keep", action="store_true", help="take the products that are there")
    arguments = parser.parse_args()
    if not arguments.keep:
        begin_anew()
        call_command("load_demo", products=arguments.products)
    lexicon = Lexicon(Words(vocabulary()), synonyms().alternatives, CATEGORIES.get().names_shown)
    ask("смартфон", lexicon)  # the first one pays for the connections
    sys.stdout.write(f"{arguments.products} products, {len(vocabulary())} words\n")
    sys.stdout.write(
        f"{'queries':22}{'asked':>7}{'nothing':>9}{'precision':>11}{'ms':>8}{'ms p95':>8}{'keys':>8}{'keys max':>10}\n"
    )
    by_class: dict[str, list[tuple[float, Asked]]] = defaultdict(list)
    for query in QUERIES:
        asked = ask(query.text, lexicon)
        found = [(each["category"], each["name"], list(each["attributes"].values())) for each in asked.products]
        by_class[query.of].append((precision(query, found), asked))
    for of, rows in by_class.items():
        report(of, rows)
    report("all labelled", [row for rows in by_class.values() for row in rows])
    words = [word for word in vocabulary().words() if vocabulary().frequency(word) >= FREQUENT]
    for slip in SLIPS:
        report(slip, [mistyped(*pair, lexicon) for pair in slips(slip, words, NUMBER)])


def mistyped(word: str, slipped: str, lexicon: Lexicon) -> tuple[float, Asked]:
    """Of the products shown for the slip, the share that the right word shows too."""
    right, asked = ask(word, lexicon), ask(slipped, lexicon)
    ids = {each["_id"] for each in right.products}
    return (mean(each["_id"] in ids for each in asked.products) if asked.products else 0.0), asked


def ask(text: str, lexicon: Lexicon) -> Asked:
    tree = CATEGORIES.get()
    reads: list[Read[Any]] = []
    started = time.perf_counter()
    steps = search(
        Wanted(hidden=tuple(sorted(tree.hidden))),
        readings(text, lexicon),
        Sort.RELEVANCE,
        Slice(SHOWN),
        every_category=tuple(tree.shown.nodes),
        fields=FIELDS,
    )
    found = _run(steps, reads)
    milliseconds = (time.perf_counter() - started) * 1000
    return Asked(found.page.documents, milliseconds, sum(map(_keys, reads)))


def _run(steps: Steps[Any], reads: list[Read[Any]]) -> Any:
    """The answer of the steps, and the reads that led to it."""
    answer = None
    while True:
        try:
            read = steps.send(answer)
        except StopIteration as end:
            return end.value
        assert isinstance(read, Read)  # noqa: S101 - a page counts nothing
        reads.append(read)
        answer = run(read)


def _keys(read: Read[Any]) -> int:
    command = {
        "find": PRODUCTS,
        "filter": read.where,
        "sort": dict(read.sort),
        "limit": read.limit,
        "hint": read.hint,
    }
    explained = database().command({"explain": command, "verbosity": "executionStats"})
    return int(explained["executionStats"]["totalKeysExamined"])


def report(of: str, rows: Sequence[tuple[float, Asked]]) -> None:
    times = sorted(asked.milliseconds for _, asked in rows)
    keys = [asked.keys for _, asked in rows]
    nothing = sum(not asked.products for _, asked in rows)
    sys.stdout.write(
        f"{of:22}{len(rows):>7}{nothing:>9}{mean(share for share, _ in rows):>11.2f}{median(times):>8.1f}"
        f"{times[int(0.95 * (len(times) - 1))]:>8.1f}{median(keys):>8.0f}{max(keys):>10}\n"
    )


if __name__ == "__main__":
    main()
