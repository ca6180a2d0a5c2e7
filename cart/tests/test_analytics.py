"""Figures of abandoned carts: equal to a reading by hand, computed on secondaries, incremental, repeatable."""

import os
import random
import signal
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from io import StringIO
from typing import Any

import pytest
from bson import Decimal128
from django.core.management import CommandError, call_command
from pymongo.database import Database

from cart.analytics import TOP_PRODUCTS, compute_changed, compute_days, figures_of, midnight, open_since
from cart.expiry import abandon_expired
from cart.tests.carts import EVERYWHERE, cart, carts, line, now
from gateway.mongo.client import Document
from gateway.mongo.commands import COMMANDS, Sent
from gateway.mongo.policies import CART_ANALYTICS, PrimaryReached, under
from gateway.tests.races import at_once, python_process

TODAY = datetime.now(UTC).date()
YESTERDAY = TODAY - timedelta(days=1)
STATUSES = ("active", "ordered", "abandoned", "abandoned")


@pytest.fixture(autouse=True)
def no_carts_of_earlier_tests(database: Database[Document]) -> None:
    """On any member of any shard: they are deleted on the primaries, and analytics reads secondaries."""
    carts().delete_many({})


def made(day: date, number: int, **changes: Any) -> Document:
    """Within its day, also on its first and last millisecond."""
    moment = midnight(day) + timedelta(milliseconds=number * 86_399_999 % 86_400_000)
    return cart(f"s:{day}-{number}", **{"created_at": moment, "updated_at": moment, **changes})


def random_carts(days: Sequence[date], per_day: int) -> list[Document]:
    chance = random.Random(11)  # noqa: S311 - the same carts every time
    found = []
    for day in days:
        for number in range(per_day):
            products = chance.sample(range(300), chance.randrange(5))
            items = [
                line(
                    f"PROD-{product}",
                    chance.randrange(1, 4),
                    f"{chance.randrange(1, 10**6)}.{product % 100:02}",
                    f"№{product}",
                )
                for product in products
            ]
            status = chance.choice(STATUSES)
            found.append(
                made(
                    day,
                    number,
                    items=items,
                    status=status,
                    geozone=chance.choice(("msk", "spb", None)),
                    merged_into="u:1" if status == "abandoned" and chance.random() < 0.2 else None,
                )
            )
    return found


def by_hand(documents: Sequence[Document]) -> dict[str, Document]:
    figures: dict[str, Document] = {}
    for each in documents:
        if not each["items"] or each["merged_into"]:
            continue
        day = each["created_at"].date()
        key = f"{day}:{each['geozone'] or ''}"
        figure = figures.setdefault(
            key, {"carts": 0, "abandoned": 0, "ordered": 0, "lost_value": Decimal(0), "products": {}}
        )
        figure["carts"] += 1
        figure["ordered"] += each["status"] == "ordered"
        if each["status"] != "abandoned":
            continue
        figure["abandoned"] += 1
        for item in each["items"]:
            lost = item["quantity"] * item["price_seen"].to_decimal()
            figure["lost_value"] += lost
            product = figure["products"].setdefault(item["product_id"], [item["name"], 0, 0, Decimal(0)])
            product[1:] = [product[1] + 1, product[2] + item["quantity"], product[3] + lost]
    for figure in figures.values():
        ranked = sorted(figure["products"].items(), key=lambda each: (-each[1][3], each[0]))
        figure["products"] = [(product_id, *rest) for product_id, rest in ranked[:TOP_PRODUCTS]]
    return figures


def kept(database: Database[Document]) -> dict[str, Document]:
    return {
        document["_id"]: {
            **{name: document[name] for name in ("carts", "abandoned", "ordered")},
            "lost_value": document["lost_value"].to_decimal(),
            "products": [
                (
                    product["product_id"],
                    product["name"],
                    product["carts"],
                    product["quantity"],
                    product["lost_value"].to_decimal(),
                )
                for product in document["products"]
            ],
        }
        for document in database["abandoned_cart_days"].find()
    }


def test_figures_equal_a_reading_by_hand(database: Database[Document]) -> None:
    days = [TODAY - timedelta(days=number) for number in range(4)]
    documents = random_carts(days, 400)
    carts().insert_many(documents, ordered=False)

    computed = compute_days(days)

    expected = by_hand(documents)
    assert kept(database) == expected
    assert len(expected) == 12
    assert max(len(figure["products"]) for figure in expected.values()) > 100
    assert computed == (4, sum(figure["carts"] for figure in expected.values()))


def test_only_the_products_that_lost_most_are_kept(database: Database[Document]) -> None:
    documents = [
        made(TODAY, 1, status="abandoned", items=[line(f"PROD-{n:03}", 1, f"{1 + n % 50}.00") for n in range(250)])
    ]
    carts().insert_many(documents)

    compute_days([TODAY])

    (figure,) = kept(database).values()
    assert {f"{TODAY}:msk": figure} == by_hand(documents)
    assert len(figure["products"]) == TOP_PRODUCTS


def test_day_without_carts_has_no_figures(database: Database[Document]) -> None:
    carts().insert_one(made(YESTERDAY, 1, items=[]))

    assert compute_days([YESTERDAY]) == (1, 0)
    assert kept(database) == {}


def test_computing_again_changes_nothing_but_the_time(database: Database[Document]) -> None:
    documents = random_carts([TODAY], 50)
    carts().insert_many(documents)

    compute_days([TODAY])
    before = kept(database)
    compute_days([TODAY])

    assert kept(database) == before == by_hand(documents)


def test_geozone_that_vanished_from_the_day_is_removed(database: Database[Document]) -> None:
    carts().insert_many(
        [made(TODAY, 1, geozone="msk"), made(TODAY, 2, geozone="spb"), made(YESTERDAY, 1, geozone="spb")]
    )
    compute_days([YESTERDAY, TODAY])

    carts().update_one({"owner": f"s:{TODAY}-2"}, {"$set": {"geozone": "msk"}})
    compute_days([TODAY])

    assert {key: figure["carts"] for key, figure in kept(database).items()} == {
        f"{TODAY}:msk": 2,
        f"{YESTERDAY}:spb": 1,
    }


def test_run_that_looked_earlier_does_not_replace_what_a_later_one_computed(database: Database[Document]) -> None:
    carts().insert_one(made(TODAY, 1))
    compute_days([TODAY])
    later = now() + timedelta(minutes=1)
    database["abandoned_cart_days"].update_one({}, {"$set": {"computed_at": later, "carts": 7}})

    compute_days([TODAY])

    assert {key: figure["carts"] for key, figure in kept(database).items()} == {f"{TODAY}:msk": 7}


def test_runs_at_once_do_no_harm(database: Database[Document]) -> None:
    days = [TODAY - timedelta(days=number) for number in range(5)]
    documents = random_carts(days, 60)
    carts().insert_many(documents)

    at_once(*[lambda: compute_days(days)] * 3, compute_changed, expected=())

    assert kept(database) == by_hand(documents)


def test_secondaries_only(database: Database[Document]) -> None:
    carts().insert_one(made(TODAY, 1))

    with COMMANDS.counted() as sent:
        compute_changed()

    assert {each: count for each, count in sent.items() if each.collection == "carts"} == {
        Sent("aggregate", "carts", "carts.analytics", 2): 2
    }
    assert kept(database) == by_hand([made(TODAY, 1)])


def test_guard_notices_a_primary_under_the_analytics_policy(database: Database[Document]) -> None:
    with pytest.raises(PrimaryReached, match="aggregate on carts"), under(CART_ANALYTICS):
        database["carts"].aggregate(figures_of(TODAY).aggregate_arguments()["pipeline"])


def test_day_walks_the_carts_of_that_day_only(database: Database[Document]) -> None:
    carts().insert_many(random_carts([YESTERDAY, TODAY], 100))
    described = figures_of(TODAY).aggregate_arguments()

    plan = database.command(
        "explain",
        {"aggregate": "carts", "pipeline": described["pipeline"], "hint": described["hint"], "cursor": {}},
        verbosity="executionStats",
    )

    examined = [
        shard["stages"][0]["$cursor"]["executionStats"]["totalDocsExamined"]
        if "stages" in shard
        else shard["executionStats"]["totalDocsExamined"]
        for shard in plan["shards"].values()
    ]
    assert sum(examined) == 100


def test_first_incremental_run_computes_everything_and_the_next_one_what_changed(database: Database[Document]) -> None:
    long_ago = TODAY - timedelta(days=40)
    past = now() - timedelta(hours=1)
    left = made(long_ago, 1, expires_at=past)
    documents = [left, made(long_ago, 2, status="ordered"), made(YESTERDAY, 1)]
    carts().insert_many(documents)
    assert compute_changed() == (2, 3)
    _forget_the_overlap(database)
    assert compute_changed() == (0, 0)

    assert abandon_expired() == 1
    _everywhere(database)

    assert compute_changed() == (1, 2)
    assert kept(database) == by_hand([{**left, "status": "abandoned"}, *documents[1:]])


def test_changes_of_the_last_minutes_are_looked_at_twice(database: Database[Document]) -> None:
    """A secondary may not have had them the first time."""
    carts().insert_one(made(TODAY, 1, updated_at=now()))

    assert compute_changed() == (1, 1)
    assert compute_changed() == (1, 1)


def test_final_days_are_never_computed_again(database: Database[Document]) -> None:
    first_open = open_since(TODAY)
    final = first_open - timedelta(days=1)
    carts().insert_many([made(final, 1, updated_at=now()), made(first_open, 1, updated_at=now())])
    frozen = {
        "_id": f"{final}:msk",
        "day": midnight(final),
        "geozone": "msk",
        "carts": 500,
        "abandoned": 1,
        "ordered": 2,
    }
    database["abandoned_cart_days"].insert_one(
        {**frozen, "lost_value": Decimal128("1.00"), "products": [], "computed_at": now()}
    )

    assert compute_changed() == (1, 1)
    assert compute_days([final]) == (0, 0)

    assert kept(database)[f"{final}:msk"]["carts"] == 500
    assert kept(database)[f"{first_open}:msk"]["carts"] == 1


def test_command_computes_a_period_and_tells_what_it_did(database: Database[Document]) -> None:
    documents = random_carts([YESTERDAY, TODAY], 40)
    carts().insert_many(documents)

    told = command(f"--from={YESTERDAY}", f"--to={TODAY}")

    assert told.startswith(
        f"2 days with {sum(figure['carts'] for figure in by_hand(documents).values())} carts computed"
    )
    assert kept(database) == by_hand(documents)


def test_command_tells_which_days_are_final(database: Database[Document]) -> None:
    first_open = open_since(TODAY)

    told = command(f"--from={first_open - timedelta(days=3)}", f"--to={first_open}")

    assert told.splitlines()[0] == f"3 days before {first_open} are final: their carts may be deleted already"
    assert told.splitlines()[1].startswith("1 days with 0 carts computed")


@pytest.mark.parametrize(
    ("period", "message"),
    [
        (("2026-11-17", "2026-11-16"), "lies after"),
        (("2026-11-16", "2999-01-01"), "lies in the future"),
        (("2001-01-01", "2001-02-01"), "all these days are final"),
        (("17.11.2026", "2026-11-17"), "is no date"),
        (("2026-02-30", "2026-11-17"), "is no date"),
    ],
)
def test_bad_period_is_told_and_nothing_is_computed(
    database: Database[Document], period: tuple[str, str], message: str
) -> None:
    carts().insert_one(made(TODAY, 1))

    with pytest.raises(CommandError, match=message):
        command(f"--from={period[0]}", f"--to={period[1]}")

    assert kept(database) == {}


def test_command_killed_in_the_middle_is_completed_by_the_next(database: Database[Document]) -> None:
    days = [TODAY - timedelta(days=number) for number in range(60)]
    documents = random_carts(days, 6)
    carts().insert_many(documents, ordered=False)
    period = (f"--from={days[-1]}", f"--to={days[0]}")

    with python_process(database, "manage.py", "abandoned_carts", *period) as process:
        while database["abandoned_cart_days"].count_documents({}) == 0:
            assert process.poll() is None
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    done = database["abandoned_cart_days"].count_documents({})
    command(*period)

    assert done < len(by_hand(documents))
    assert kept(database) == by_hand(documents)


def command(*arguments: str) -> str:
    told = StringIO()
    call_command("abandoned_carts", *arguments, stdout=told)
    return told.getvalue()


def _everywhere(database: Database[Document]) -> None:
    """Wait until every member has what was written so far."""
    for number in range(20):
        database["carts"].with_options(write_concern=EVERYWHERE).update_one(
            {"owner": f"s:nobody-{number}"}, {"$set": {"geozone": None}}
        )


def _forget_the_overlap(database: Database[Document]) -> None:
    database["cart_analytics_progress"].update_one({}, {"$set": {"seen_until": now()}})
