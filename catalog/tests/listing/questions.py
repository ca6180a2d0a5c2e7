"""GraphQL without HTTP: what the schema answers."""

import asyncio
from typing import Any

from gateway.graphql.schema import schema
from gateway.mongo.client import close_async_client
from gateway.redis.clients import close_async_redis


class Answer:
    def __init__(self, data: Any, errors: list[Any]) -> None:
        self._data = data
        self.errors = errors

    @property
    def data(self) -> Any:
        assert not self.errors, self.errors
        return self._data

    @property
    def messages(self) -> list[tuple[str, str]]:
        return [(error.extensions["code"], error.message) for error in self.errors]


def ask(query: str, **variables: Any) -> Answer:
    async def execute() -> Answer:
        try:
            result = await schema.execute(query, variable_values=variables)
            return Answer(result.data, list(result.errors or ()))
        finally:
            await close_async_client()
            await close_async_redis()

    return asyncio.run(execute())
