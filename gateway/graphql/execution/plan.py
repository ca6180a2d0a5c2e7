"""What an operation is compiled to."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from graphql import OperationDefinitionNode
from graphql.execution.collect_fields import FragmentDetails
from graphql.execution.values import VariableValues

from gateway.graphql.execution.arguments import Make, Values
from gateway.graphql.execution.info import Request

Given = list[Any]
"""The request, the objects counted so far, the arguments of each field that has some."""
REQUEST, OBJECTS, ARGUMENTS = 0, 1, 2
Complete = Callable[..., Any]


@dataclass(frozen=True, slots=True)
class Operation:
    """An operation with what its meaning depends on."""

    node: OperationDefinitionNode
    fragments: Mapping[str, FragmentDetails]
    variables: VariableValues
    """Those of any request with the booleans that the plan is for."""


class Root(NamedTuple):
    """How the value of a mutation's field is completed: called with the value, the arguments, its path and its info."""

    complete: Complete
    is_async: bool


@dataclass(frozen=True, slots=True)
class Plan:
    """What an operation was compiled to, for one set of its booleans."""

    arguments: Sequence[Values | Make]
    """Of each field that has some: the values, or how a request's variables make them."""
    run: Complete | None
    """Takes the root value, the arguments and the path; returns the data. None for a mutation."""
    is_async: bool
    roots: Mapping[str, Root]
    """Of a mutation, by the field's name in the answer."""
    objects: int
    """That every answer holds."""
    bytes: int

    def given(self, request: Request) -> Given:
        """What the compiled functions are given besides the object. May raise anything that a resolver may."""
        return [
            request,
            self.objects,
            *(made(request.variables) if callable(made) else made for made in self.arguments),
        ]
