"""Read policies: where a read goes at which lag, and the guard of those that must stay off the primaries."""

import pytest
from django.test import override_settings
from pymongo.database import Database
from pymongo.read_preferences import Primary, PrimaryPreferred, Secondary, SecondaryPreferred
from pytest_django import Settings

from gateway.mongo.client import Document
from gateway.mongo.policies import (
    CART_ACTIVE,
    CART_ANALYTICS,
    CATALOG_LIST,
    ORDER_REPORTS,
    ORDER_STATUS,
    STOCK_DISPLAY,
    Policy,
    Preference,
    PrimaryReached,
    under,
)
from gateway.mongo.reads import Read, run
from gateway.tests.samples.models import Gadget


@pytest.mark.parametrize(
    ("policy", "lag", "preference"),
    [
        (CATALOG_LIST, 0.0, SecondaryPreferred()),
        (CATALOG_LIST, 30.0, SecondaryPreferred()),
        (CATALOG_LIST, 30.1, Primary()),
        (CATALOG_LIST, None, SecondaryPreferred()),
        (STOCK_DISPLAY, 5.0, SecondaryPreferred()),
        (STOCK_DISPLAY, 5.1, Primary()),
        (STOCK_DISPLAY, None, Primary()),
        (ORDER_STATUS, 1.0, PrimaryPreferred()),
        (ORDER_STATUS, None, Primary()),
        (ORDER_REPORTS, 3600.0, Secondary()),
        (ORDER_REPORTS, None, Secondary()),
        (CART_ACTIVE, 0.0, Primary()),
    ],
    ids=lambda value: getattr(value, "name", str(value)),
)
def test_preference_follows_the_lag(
    settings: Settings, policy: Policy, lag: float | None, preference: Preference
) -> None:
    settings.MONGODB_UNKNOWN_LAG_SECONDS = 30.0
    assert policy.preference_at(lag) == preference


def all_gadgets(policy: Policy) -> Read[int]:
    return Read(collection="sample_gadgets", policy=policy, where={"category": "audio"}, result=len)


def test_analytics_that_reads_secondaries_passes_the_guard(database: Database[Document]) -> None:
    with under(CART_ANALYTICS):
        assert run(all_gadgets(CART_ANALYTICS)) == 0


def test_analytics_that_reaches_a_primary_by_the_orm_fails(database: Database[Document]) -> None:
    with (
        pytest.raises(
            PrimaryReached, match=r"carts\.analytics may read secondaries only, but sent aggregate on sample_"
        ),
        under(CART_ANALYTICS),
    ):
        Gadget.objects.filter(category="audio").count()


def test_analytics_that_writes_fails(database: Database[Document]) -> None:
    with pytest.raises(PrimaryReached, match="insert on sample_gadgets"), under(CART_ANALYTICS):
        Gadget.objects.create(id="G-1", category="audio", name="Наушники")


def test_analytics_that_hides_a_primary_read_in_another_policy_fails(database: Database[Document]) -> None:
    with pytest.raises(PrimaryReached, match="find on sample_gadgets"), under(CART_ANALYTICS):
        run(all_gadgets(CART_ACTIVE))


def test_secondary_preferred_is_not_secondary_only(database: Database[Document]) -> None:
    with pytest.raises(PrimaryReached, match="find on sample_gadgets"), under(CART_ANALYTICS):
        run(all_gadgets(CATALOG_LIST))


def test_other_policies_may_reach_a_primary(database: Database[Document]) -> None:
    with under(CART_ACTIVE):
        assert Gadget.objects.filter(category="audio").count() == 0


def test_guard_is_silent_in_production(database: Database[Document]) -> None:
    with override_settings(MONGODB_GUARD_READS=False), under(CART_ANALYTICS):
        assert Gadget.objects.filter(category="audio").count() == 0
