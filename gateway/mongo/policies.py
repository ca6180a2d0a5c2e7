"""How old an answer may be, decided once per operation: the registry of read policies.

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
    """Seconds an answer may be old, and may be cached; None: as old as the secondaries are."""

    @property
    def secondaries_only(self) -> bool:
        """Analytics: must never load a primary, however far the secondaries lag."""
        return isinstance(self.preference, Secondary) and self.allowance is None

    def preference_at(self, lag: float | None) -> Preference:
        """Where to read when the secondaries of the shards in question are this many seconds behind (None: unknown)."""
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
# What is copied to Cassandra must be the newest there is.
SYNC = Policy("sync", Primary(), 0)
CART_ANALYTICS = Policy("carts.analytics", Secondary(), None)


class PrimaryReached(RuntimeError):
    """Code under a secondaries-only policy sent a command that a primary serves."""


@dataclass(slots=True)
class Scope:
    """The policy in force for what a piece of code sends, inside the scopes around it."""

    policy: Policy
    outer: "Scope | None"
    trespasses: list[str] = field(default_factory=list)

    def note_primary(self, command: str) -> None:
        """Called for every command that a primary serves: each secondaries-only scope around it remembers."""
        if self.policy.secondaries_only:
            self.trespasses.append(command)
        if self.outer:
            self.outer.note_primary(command)


_scope: ContextVar[Scope | None] = ContextVar("read_policy_scope", default=None)
_collected: ContextVar[set[Policy] | None] = ContextVar("read_policies_collected", default=None)


@contextmanager
def collecting_policies() -> Iterator[set[Policy]]:
    """The policies of everything read inside, in tasks and threads started there too: what an answer was made of."""
    collected: set[Policy] = set()
    token = _collected.set(collected)
    try:
        yield collected
    finally:
        _collected.reset(token)


def note_policy(policy: Policy) -> None:
    """Say that an answer is made of such a read. `under` does it; an answer from a cache of ours must do it itself."""
    collected = _collected.get()
    if collected is not None:
        collected.add(policy)


def current_scope() -> Scope | None:
    return _scope.get()


@contextmanager
def under(policy: Policy) -> Iterator[None]:
    """Count what is sent inside under this policy; with settings.MONGODB_GUARD_READS, refuse what it forbids.

    The refusal comes at the end of the block: a driver's listener cannot stop the command itself.
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
