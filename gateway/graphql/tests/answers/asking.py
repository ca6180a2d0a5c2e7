"""Asking the endpoint of the tests' own process."""

import asyncio
from typing import Any

import httpx

from gateway.graphql.http import endpoint
from gateway.mongo.client import close_async_client
from gateway.redis.clients import close_async_redis


def ask_together(*requests: dict[str, Any], headers: dict[str, str] | None = None) -> list[httpx.Response]:
    """Send the requests to the endpoint of this process, all at the same time."""

    async def ask() -> list[httpx.Response]:
        transport = httpx.ASGITransport(app=endpoint.graphql_endpoint)  # type: ignore[arg-type]
        async with httpx.AsyncClient(transport=transport, base_url="http://shop.example", headers=headers) as client:
            answers = await asyncio.gather(*(client.post("/graphql", json=request) for request in requests))
        await close_async_client()
        await close_async_redis()
        return answers

    return asyncio.run(ask())


def caches(answers: list[httpx.Response]) -> list[str | None]:
    return [answer.headers.get("x-cache") for answer in answers]
