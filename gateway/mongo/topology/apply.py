"""Planning and applying: what the cluster lacks of the declarations, and making it so."""

import time
from collections.abc import Callable, Mapping, Sequence
from itertools import groupby
from typing import Any

from pymongo.database import Database
from pymongo.errors import AutoReconnect, OperationFailure, ServerSelectionTimeoutError

from gateway.mongo.collections import Collection, declared_collections
from gateway.mongo.topology.cluster import look
from gateway.mongo.topology.comparison import compare
from gateway.mongo.topology.errors import TopologyError, explained
from gateway.mongo.topology.plans import TopologyPlan, TopologyStep
from gateway.mongo.topology.validity import impossible

# What passes by itself: another run or the balancer at work on the same collection, an election, a mongos going away.
PASSING_CODES = frozenset({
    6,  # HostUnreachable
    7,  # HostNotFound
    46,  # LockBusy
    89,  # NetworkTimeout
    91,  # ShutdownInProgress
    112,  # WriteConflict
    117,  # ConflictingOperationInProgress
    133,  # FailedToSatisfyReadPreference
    189,  # PrimarySteppedDown
    262,  # ExceededTimeLimit
    9001,  # SocketException
    10107,  # NotWritablePrimary
    11600,  # InterruptedAtShutdown
    11602,  # InterruptedDueToReplStateChange
    13388,  # StaleConfig
    13435,  # NotPrimaryNoSecondaryOk
    13436,  # NotPrimaryOrSecondary
})  # fmt: skip
# A shard takes part in one migration at a time, and one of an empty range lasts well under a second.
PATIENCE_SECONDS = 60.0
PAUSE_SECONDS = 0.2
# Servers before 8.0 refuse to create what exists; another run was faster.
NAMESPACE_EXISTS = 48

PRIVILEGES = {
    "create": "createCollection",
    "createIndexes": "createIndex",
    "shardCollection": "enableSharding",
    "split": "splitChunk",
    "moveRange": "moveChunk",
    "addShardToZone": "enableSharding",
    "updateZoneKeyRange": "enableSharding",
}


def plan(database: Database[Any], *, declarations: Mapping[str, Collection] | None = None) -> TopologyPlan:
    """What `apply` would do now, and what it would leave alone. Only reads. Raises TopologyError."""
    declarations = dict(declared_collections()) if declarations is None else declarations
    if problems := [problem for name, d in declarations.items() for problem in impossible(name, d)]:
        raise TopologyError("; ".join(problems))
    with explained("reading the topology", privilege="find on config, or indexStats"):
        cluster = look(database, declarations)
    return compare(database.name, declarations, cluster)


def _silently(_line: str) -> None:
    """The report of callers who need none."""


def apply(
    database: Database[Any],
    report: Callable[[str], None] = _silently,
    *,
    declarations: Mapping[str, Collection] | None = None,
) -> TopologyPlan:
    """Do every step of the plan and leave every drift; reports one line for each collection that it changed."""
    planned = plan(database, declarations=declarations)
    width = max((len(step.collection) for step in planned.steps), default=0)
    for name, group in groupby(planned.steps, key=lambda step: step.collection):
        started, steps = time.monotonic(), list(group)
        for step in steps:
            _do(step, database)
        report(f"{name:<{width}}  {_summary(steps)}  ({time.monotonic() - started:.1f} s)")
    return planned


def _verb(step: TopologyStep) -> str:
    return next(iter(step.command))


def _summary(steps: Sequence[TopologyStep]) -> str:
    """One text for each kind of step, so that a collection of many splits still fits its line."""
    kinds = [list(group) for _, group in groupby(steps, key=_verb)]
    return "; ".join(f"{kind[0].text} and {len(kind) - 1} more" if kind[1:] else kind[0].text for kind in kinds)


def _do(step: TopologyStep, database: Database[Any]) -> None:
    target = database.client.admin if step.on_admin else database
    where = f"{database.name}.{step.collection}"
    privilege = f"{PRIVILEGES[_verb(step)]} on {where}"
    until = time.monotonic() + PATIENCE_SECONDS
    with explained(f"{where}: {step.text}", privilege=privilege):
        while True:
            try:
                target.command(dict(step.command))
            except (AutoReconnect, OperationFailure) as error:
                if isinstance(error, OperationFailure) and error.code == NAMESPACE_EXISTS:
                    return
                if not _passes(error) or time.monotonic() > until:
                    raise
                time.sleep(PAUSE_SECONDS)
            else:
                return


def _passes(error: AutoReconnect | OperationFailure) -> bool:
    if isinstance(error, OperationFailure):
        return error.code in PASSING_CODES
    return not isinstance(error, ServerSelectionTimeoutError)  # that has been waited for already
