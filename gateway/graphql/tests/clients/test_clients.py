"""The clients that frontends are built with, as their own packages have them, against the real endpoint."""

from django.core.management import call_command

from gateway.graphql.tests.clients.frontends import Frontend


def test_apollo_client_4(frontend: Frontend, buyable: dict[str, str]) -> None:
    frontend.passes("apollo4.test.ts", **buyable)


def test_relay(frontend: Frontend, buyable: dict[str, str]) -> None:
    call_command("persist_queries", frontend.directory / "kept.json")

    frontend.passes("relay.test.ts", **buyable)
