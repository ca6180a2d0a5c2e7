"""Mutations: graphql-core runs their fields, one after the other; what each returns is completed by compiled code.

Where that falls, graphql-core completes the very same value: the field itself never runs twice.
"""

from collections.abc import Awaitable, Callable
from typing import Any

from graphql import GraphQLOutputType, GraphQLResolveInfo
from graphql.execution.collect_fields import FieldDetails
from graphql.pyutils import Path
from strawberry.schema.schema import StrawberryGraphQLCoreExecutionContext

from gateway.graphql.execution.info import Request
from gateway.graphql.execution.operations import Attempt


class ResultsExecutor(StrawberryGraphQLCoreExecutionContext):
    """Strawberry's executor, but for the values of a mutation's fields: their plan is in the request's context."""

    def complete_value(
        self,
        return_type: GraphQLOutputType,
        field_details_list: list[FieldDetails],
        info: GraphQLResolveInfo,
        path: Path,
        result: Any,
        position_context: Any,
    ) -> Any:
        def by_graphql_core() -> Any:
            return super(ResultsExecutor, self).complete_value(
                return_type, field_details_list, info, path, result, position_context
            )

        attempt: Attempt | None = getattr(self.context_value, "results", None)
        # graphql-core asks for what is in a non-null type by the same path once more: that has been tried then.
        is_tried = path.prev is not None or return_type is not info.return_type
        if attempt is None or is_tried or isinstance(result, Exception):
            return by_graphql_core()
        root = attempt.plan.roots[str(path.key)]
        try:
            request = Request(self.root_value, self.context_value, self.variable_values)
            completed = root.complete(result, attempt.plan.given(request), path, info)
        except Exception as error:  # noqa: BLE001 - graphql-core makes of it what the answer says
            attempt.note_fall(error)
            return by_graphql_core()
        if root.is_async:
            return _waited_for(completed, attempt, by_graphql_core)
        attempt.note_success()
        return completed


async def _waited_for(completed: Awaitable[Any], attempt: Attempt, by_graphql_core: Callable[[], Any]) -> Any:
    try:
        value = await completed
    except Exception as error:  # noqa: BLE001 - as above
        attempt.note_fall(error)
        again = by_graphql_core()
        return await again if isinstance(again, Awaitable) else again
    attempt.note_success()
    return value
