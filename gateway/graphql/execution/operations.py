"""Compiled operations: remembered within a bound of bytes, tried first, and left to graphql-core where they fall.

A query has no side effects, so one that falls is executed again from the beginning.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import structlog
from graphql import DocumentNode, FragmentDefinitionNode, OperationDefinitionNode
from graphql.execution.collect_fields import FragmentDetails
from graphql.execution.values import VariableValues

from gateway.graphql.documents.memory import Memory, size_of
from gateway.graphql.execution import counters
from gateway.graphql.execution.compiler import compile_query, compile_results
from gateway.graphql.execution.conditions import conditions_of
from gateway.graphql.execution.errors import NotCompilable
from gateway.graphql.execution.info import Request
from gateway.graphql.execution.plan import OBJECTS, Operation, Plan
from gateway.graphql.execution.schema_parts import SchemaParts

log = structlog.get_logger(__name__)

# Compiling takes as long as executing once without: what never comes again is not worth it.
COMPILED_AT = 2
# An operation that falls costs twice. One that fell so often in a row, as its data are not what the types promise or
# its callers keep asking for what is refused, is left to graphql-core for a while.
MAX_FALLS = 3
REST_SECONDS = 30.0
# What is remembered of an operation besides its plans.
RECORD_BYTES = 500

Flags = tuple[bool, ...]


@dataclass(slots=True)
class Record:
    """What is known of one operation of one document."""

    sightings: dict[Flags, int] = field(default_factory=dict)
    conditions: tuple[str, ...] | None = None
    plans: dict[Flags, Plan] = field(default_factory=dict)
    refused: str | None = None
    falls: int = 0
    rests_until: float = 0.0
    bytes: int = RECORD_BYTES

    def note_fall(self) -> None:
        self.falls += 1
        if self.falls >= MAX_FALLS:
            self.falls, self.rests_until = 0, time.monotonic() + REST_SECONDS


@dataclass(frozen=True, slots=True)
class Sought:
    """An operation that is to be executed, as the document has it."""

    key: bytes
    document: DocumentNode
    node: OperationDefinitionNode
    variables: VariableValues


class CompiledOperations:
    """The plans of one schema's operations."""

    def __init__(self, parts: SchemaParts, *, most_bytes: Callable[[], int], compiled_at: int = COMPILED_AT) -> None:
        self._parts = parts
        self._records: Memory[Record] = Memory(most_bytes)
        self._compiled_at = compiled_at

    @property
    def bytes(self) -> int:
        """Bytes that everything remembered takes."""
        return self._records.bytes

    def plan(self, sought: Sought) -> "Attempt | None":
        """The plan to try for this request, compiled now if it is time; None where graphql-core is to execute it."""
        record = self._record(sought)
        flags = self._flags(record, sought.variables)
        if record.refused is not None or flags is None:
            counters.executed[counters.refused(record.refused or "condition_not_boolean")] += 1
            return None
        if record.rests_until > time.monotonic():
            counters.executed[counters.RESTING] += 1
            return None
        if (plan := record.plans.get(flags)) is None:
            record.sightings[flags] = record.sightings.get(flags, 0) + 1
            if record.sightings[flags] < self._compiled_at:
                counters.executed[counters.NEW] += 1
                return None
            if (plan := self._compiled(record, flags, sought)) is None:
                return None
        return Attempt(record, plan)

    def _record(self, sought: Sought) -> Record:
        if (record := self._records.get(sought.key)) is None:
            record = Record()
            try:
                record.conditions = conditions_of(sought.document)
            except NotCompilable as error:
                record.refused = error.reason
            self._records.keep(sought.key, record, record.bytes)
        return record

    @staticmethod
    def _flags(record: Record, variables: VariableValues) -> Flags | None:
        """The values of the operation's conditions; None if one is no boolean, about which graphql-core has a word."""
        flags: list[bool] = [variables.coerced.get(name) for name in record.conditions or ()]  # type: ignore[misc]
        return tuple(flags) if all(isinstance(flag, bool) for flag in flags) else None

    def _compiled(self, record: Record, flags: Flags, sought: Sought) -> Plan | None:
        fragments = {
            definition.name.value: FragmentDetails(definition, None)
            for definition in sought.document.definitions
            if isinstance(definition, FragmentDefinitionNode)
        }
        operation = Operation(sought.node, fragments, sought.variables)
        is_query = sought.node.operation.value == "query"
        try:
            plan = (compile_query if is_query else compile_results)(self._parts, operation)
        except NotCompilable as error:
            record.refused = error.reason
        except RecursionError:
            record.refused = "too_deep"
        except Exception:
            # A fault of ours, which is no reason to refuse the request.
            log.exception("graphql_not_compiled")
            record.refused = "fault"
        if record.refused is not None:
            counters.executed[counters.refused(record.refused)] += 1
            return None
        if not record.plans:
            # Infos hold the document's nodes, however long the document itself is remembered.
            record.bytes += size_of(sought.document)
        record.plans[flags] = plan
        record.bytes += plan.bytes
        self._records.keep(sought.key, record, record.bytes)
        return plan


class Data(NamedTuple):
    """What a query answers."""

    fields: dict[str, Any]
    objects: int
    """That it holds, itself among them."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """A plan for one request."""

    record: Record
    plan: Plan

    async def data(self, request: Request) -> "Data | None":
        """The data of the answer; None when the query is to be executed by graphql-core from the beginning."""
        plan = self.plan
        if plan.run is None:
            return None
        try:
            given = plan.given(request)
            made = plan.run(request.root, given, None)
            data: dict[str, Any] = await made if plan.is_async else made
        except Exception as error:  # noqa: BLE001 - whatever it is, graphql-core makes of it what the answer says
            self.note_fall(error)
            return None
        self.note_success()
        return Data(data, given[OBJECTS])

    def note_success(self) -> None:
        self.record.falls = 0
        counters.executed[counters.COMPILED] += 1

    def note_fall(self, error: Exception) -> None:
        """Note that the plan did not come to its end."""
        self.record.note_fall()
        counters.executed[counters.fell(error)] += 1
        log.debug("graphql_fell_back", error=repr(error)[:200])
