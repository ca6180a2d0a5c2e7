"""Read policies: how old an answer may be, decided once per operation.

Every read names one of these. Which servers a read goes to follows from the policy and the lag measured last, not from
the caller. The figures come from the shop's own requirements; docs/read-policies.md explains them.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

from django.conf import settings
from pymongo.read_preferences import (
    Primary,
    PrimaryPreferred,
    Secondary,
    SecondaryPreferred,
)

Preference = Primary | PrimaryPreferred | Secondary | SecondaryPreferred


@dataclass(frozen=True, slots=True)
class Policy:
    name: str
    preference: Preference = field(hash=False)  # PyMongo's preferences can be compared but not hashed
    allowance: float | None
    """How many seconds old an answer may be, and how long it may be cached; None: as old as the secondaries are."""

    @property
    def secondaries_only(self) -> bool:
        """Whether it must never load a primary, however far the secondaries lag: for analytics."""
        return isinstance(self.preference, Secondary) and self.allowance is None

    def preference_at(self, lag: float | None) -> Preference:
        """Where to read when the secondaries of the shards asked are this many seconds behind (None: unknown)."""
        if self.allowance is None or isinstance(self.preference, Primary):
            return self.preference
        if lag is None:
            return self.preference if self.allowance >= settings.MONGODB_UNKNOWN_LAG_SECONDS else Primary()
        return self.preference if lag <= self.allowance else Primary()


CATALOG_LIST = Policy("catalog.list", SecondaryPreferred(), 30)
CATALOG_CARD = Policy("catalog.card", SecondaryPreferred(), 30)
STOCK_DISPLAY = Policy("stock.display", SecondaryPreferred(), 5)
STOCK_CHECK = Policy("stock.check", Primary(), 0)
ORDER_HISTORY_FRESH = Policy("orders.history_fresh", Primary(), 0)
ORDER_STATUS = Policy("orders.status", PrimaryPreferred(), 5)
ORDER_REPORTS = Policy("orders.reports", Secondary(), None)
CART_ACTIVE = Policy("carts.active", Primary(), 0)
CART_MERGE = Policy("carts.merge", Primary(), 0)
# Staff act on what they find: an account made a moment ago is there.
ACCOUNT_SEARCH = Policy("accounts.search", Primary(), 0)
# Whoever has just saved an address chooses it.
ACCOUNT_ADDRESSES = Policy("accounts.addresses", Primary(), 0)
# Whoever has just changed something looks for it in the list.
STAFF_LIST = Policy("staff.list", Primary(), 0)
# Whoever has just changed something looks here whether it is there.
AUDIT = Policy("audit", Primary(), 0)
# What is copied to Cassandra must be the newest there is.
SYNC = Policy("sync", Primary(), 0)
# Counting reads every product; its words may be as old as the secondaries are.
SEARCH_VOCABULARY = Policy("search.vocabulary", Secondary(), None)
CART_ANALYTICS = Policy("carts.analytics", Secondary(), None)

PUBLIC = frozenset({CATALOG_LIST, CATALOG_CARD, STOCK_DISPLAY})
"""Reads of what everybody may see: an answer made of these alone is the same for all."""


class PrimaryReached(RuntimeError):
    """Code under a secondaries-only policy sent a command that a primary serves."""


@dataclass(slots=True)
class Scope:
    """The policy in force for what a piece of code sends, and the scope around it."""

    policy: Policy
    outer: "Scope | None"
    trespasses: list[str] = field(default_factory=list)

    def note_primary(self, command: str) -> None:
        """Remember a command that a primary serves, in every secondaries-only scope around it."""
        if self.policy.secondaries_only:
            self.trespasses.append(command)
        if self.outer:
            self.outer.note_primary(command)


_scope: ContextVar[Scope | None] = ContextVar("read_policy_scope", default=None)
_collected: ContextVar[set[Policy] | None] = ContextVar("read_policies_collected", default=None)


@contextmanager
def collecting_policies() -> Iterator[set[Policy]]:
    """Collect the policies of everything read inside, in tasks and threads started there too."""
    collected: set[Policy] = set()
    token = _collected.set(collected)
    try:
        yield collected
    finally:
        _collected.reset(token)


def note_policy(policy: Policy) -> None:
    """Note that an answer is made of such a read. `under` does it; whoever answers from a cache must do it himself."""
    collected = _collected.get()
    if collected is not None:
        collected.add(policy)


def current_scope() -> Scope | None:
    return _scope.get()


@contextmanager
def under(policy: Policy) -> Iterator[None]:
    """Count commands sent inside under this policy; with MONGODB_GUARD_READS, raise PrimaryReached for forbidden ones.

    It is raised at the end of the block: a driver's listener cannot stop the command itself.
    """
    note_policy(policy)
    scope = Scope(policy, outer=_scope.get())
    token = _scope.set(scope)
    try:
        yield
    finally:
        _scope.reset(token)
    if scope.trespasses and settings.MONGODB_GUARD_READS:
        raise PrimaryReached(f"{policy.name} may read secondaries only, but sent {', '.join(scope.trespasses)}")
