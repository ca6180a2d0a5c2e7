"""The backend's compilers, with an ORDER BY that an index can serve.

Before its $sort the backend copies each ordering field onto itself by $addFields, which hides the field from the
indexes: the first page of a list would read and sort the whole collection.
"""

from typing import Any

from django_mongodb_backend import compiler
from django_mongodb_backend.compiler import (
    SQLAggregateCompiler,
    SQLDeleteCompiler,
    SQLInsertCompiler,
    SQLUpdateCompiler,
)

__all__ = ["SQLAggregateCompiler", "SQLCompiler", "SQLDeleteCompiler", "SQLInsertCompiler", "SQLUpdateCompiler"]


class SQLCompiler(compiler.SQLCompiler):  # type: ignore[misc]
    def build_query(self, columns: Any = None) -> Any:
        query = super().build_query(columns)
        if query.extra_fields:
            query.extra_fields = {name: value for name, value in query.extra_fields.items() if value != f"${name}"}
        return query
