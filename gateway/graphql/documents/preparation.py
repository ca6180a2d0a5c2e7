"""Parsing and validating new documents beside the event loop, a few at a time, each text once."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from functools import cache

from django.conf import settings

from gateway.graphql.documents.cache import Documents, PreparationOutcome, check_size, digest_of
from gateway.graphql.errors import overloaded

# So small a document takes no longer than other steps of a request, whatever is in it.
SMALL_BYTES = 500


class Preparation:
    """Prepares documents for the endpoint, without holding up the event loop for long."""

    def __init__(self, documents: Documents) -> None:
        self._documents = documents
        self._flights: dict[bytes, asyncio.Task[PreparationOutcome]] = {}

    async def outcome(self, text: str) -> PreparationOutcome:
        """The prepared document or its refusal, remembered or made now; of those who wait for one text, the first pays.

        Raises RequestRefused for a text that is too large, and when too many wait.
        """
        check_size(text)
        if known := self._documents.known(text):
            return known
        if len(text.encode()) <= SMALL_BYTES:
            outcome = self._documents.prepare(text)
            self._documents.remember(text, outcome)
            return outcome
        digest = digest_of(text)
        if digest in self._flights:
            shared = await asyncio.shield(self._flights[digest])
            return shared._replace(milliseconds=0.0)
        if len(self._flights) >= settings.GRAPHQL_MAX_PREPARING:
            raise overloaded()
        flight = asyncio.create_task(self._fly(digest, text))
        self._flights[digest] = flight
        return await asyncio.shield(flight)

    async def _fly(self, digest: bytes, text: str) -> PreparationOutcome:
        try:
            outcome = await asyncio.get_running_loop().run_in_executor(_pool(), self._documents.prepare, text)
            self._documents.remember(text, outcome)
            return outcome
        finally:
            del self._flights[digest]


@cache
def _pool() -> ThreadPoolExecutor:
    """A pool of one thread, made on first use: a second would only take time from the event loop."""
    return ThreadPoolExecutor(max_workers=1, thread_name_prefix="graphql-prepare")
