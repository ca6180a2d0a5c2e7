"""The rules by which documents are validated: the specification's, with the most expensive held to a budget."""

from typing import Any

from django.conf import settings
from graphql import ASTValidationRule, SelectionSetNode, ValidationContext, specified_rules
from graphql.validation import OverlappingFieldsCanBeMergedRule
from graphql.validation.validate import ValidationAbortedError

from gateway.graphql.documents import limits


class FieldsCanBeMerged(OverlappingFieldsCanBeMergedRule):
    """Compares every two fields with one name in the answer, fragments included: the square of the document's size.

    graphql-core counts this work and stops at half a million units, a second of CPU; we stop at our own limit, and say
    so.
    """

    def __init__(self, context: ValidationContext) -> None:
        super().__init__(context)
        self.rule_context.remaining_complexity_budget = settings.GRAPHQL_MAX_COMPARISONS

    def enter_selection_set(self, selection_set: SelectionSetNode, *args: Any) -> None:
        try:
            super().enter_selection_set(selection_set, *args)
        except ValidationAbortedError:
            if self.rule_context.remaining_complexity_budget >= 0:
                # There were too many errors, which graphql-core tells by itself.
                raise
            maximum = settings.GRAPHQL_MAX_COMPARISONS
            raise limits.COMPARISONS.refusal(f"> {maximum}", maximum) from None


RULES: tuple[type[ASTValidationRule], ...] = tuple(
    FieldsCanBeMerged if rule is OverlappingFieldsCanBeMergedRule else rule for rule in specified_rules
)
