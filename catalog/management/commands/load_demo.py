import os
import time
from argparse import ArgumentParser, ArgumentTypeError
from functools import partial
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from pymongo.errors import PyMongoError

from catalog.demo.categories import load_categories
from catalog.demo.geozones import load_geozones
from catalog.demo.load import (
    MAX_PRODUCTS,
    indexes_built_afterwards,
    load_products,
    plan_load,
    plan_removal,
    remove_products,
)
from catalog.demo.synonyms import load_synonyms
from catalog.models import Product
from catalog.search.vocabulary.census import count_vocabulary
from catalog.structure.category_tree import whole_tree
from gateway.management.progress import Progress
from gateway.mongo.client import database
from gateway.mongo.policies import STAFF_LIST
from gateway.mongo.reads import run

DEFAULT_PRODUCTS = 20_000

# What is left is told of one step: its title says how many there are.
PRODUCTS, INDEXES, WORDS = "1/3 products", "2/3 indexes", "3/3 words"


class Command(BaseCommand):
    help = (
        "Load a demo shop: geozones, categories and products. What is already there stays as it is, so a run that was"
        " interrupted is completed by the next one, and a larger --products adds to what a smaller one made."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--products",
            type=_number_up_to(MAX_PRODUCTS),
            default=DEFAULT_PRODUCTS,
            metavar="N",
            help=f"how many products there shall be ({DEFAULT_PRODUCTS} when not said)",
        )
        parser.add_argument("--seed", type=_number_up_to(2**31), default=1, help="another seed makes another shop")
        parser.add_argument(
            "--processes",
            type=_number_up_to(64),
            default=os.cpu_count() or 1,
            metavar="P",
            help="how many processes load; the result does not depend on it (one per core when not said)",
        )
        parser.add_argument("--drop", action="store_true", help="remove the demo products first, edited ones too")
        parser.add_argument("--yes", action="store_true", help="do not ask before --drop")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            if options["drop"]:
                self._drop(processes=options["processes"], ask=not options["yes"])
            self._load(count=options["products"], seed=options["seed"], processes=options["processes"])
        except KeyboardInterrupt:
            raise CommandError("interrupted; run it again to go on", returncode=130) from None
        except PyMongoError as error:
            raise CommandError(f"{error}; run it again to go on") from error

    def _load(self, *, count: int, seed: int, processes: int) -> None:
        started = time.monotonic()
        self._load_products(count=count, seed=seed, processes=processes)
        self._count_words()
        self.stdout.write(f"loaded in {time.monotonic() - started:.1f} s, indexes, words and all")
        if settings.CASSANDRA_CONTACT_POINTS:
            self.stdout.write("Workers copy new products to Cassandra; `manage.py sync status` says how far.")

    def _load_products(self, *, count: int, seed: int, processes: int) -> None:
        self.stdout.write(f"{load_geozones()} geozones and {load_categories()} categories added")
        self.stdout.write(f"{load_synonyms()} groups of synonyms added")
        plan = plan_load(count)
        if not plan.batches:
            self.stdout.write(f"all {count} products are there already")
            return
        with indexes_built_afterwards(plan, count=count, show=partial(Progress, self.stdout, INDEXES)):
            with Progress(self.stdout, PRODUCTS, count - plan.present) as progress:
                added = load_products(plan, count=count, seed=seed, processes=processes, report=progress.advance)
            rate = added / progress.seconds
            self.stdout.write(f"{added} products added in {progress.seconds:.1f} s ({rate:.0f} per second)")

    def _count_words(self) -> None:
        """Not left to the next count: whoever has just started the shop searches at once."""
        # Not the estimate, which is wrong for a while after a server was killed.
        products = database()[Product._meta.db_table].count_documents({})
        with Progress(self.stdout, WORDS, products) as progress:
            counted = count_vocabulary(run(whole_tree()).names_shown, policy=STAFF_LIST, report=progress.advance)
        self.stdout.write(f"{counted} words counted for the search")

    def _drop(self, *, processes: int, ask: bool) -> None:
        if settings.PRODUCTION:
            raise CommandError("--drop is refused with production settings")
        plan = plan_removal()
        if not plan.batches:
            return
        if ask and input(f"Remove {plan.present} demo products, edited ones too? [y/N] ").strip().lower() != "y":
            raise CommandError("nothing was removed")
        with Progress(self.stdout, "removing", plan.present) as progress:
            removed = remove_products(plan, processes=processes, report=progress.advance)
        self.stdout.write(f"{removed} products removed")


def _number_up_to(limit: int) -> Any:
    def number(text: str) -> int:
        if not text.isdigit() or not 0 <= int(text) <= limit:
            raise ArgumentTypeError(f"{text!r} is not a number from 0 to {limit}")
        return int(text)

    return number
