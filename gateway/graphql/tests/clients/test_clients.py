"""The clients that frontends are built with, as their own packages have them, against the real endpoint."""

from gateway.graphql.tests.clients.frontends import Frontend


def test_apollo_client_4(frontend: Frontend, buyable: dict[str, str]) -> None:
    frontend.passes("apollo4.test.ts", **buyable)


def test_apollo_client_3(frontend: Frontend, buyable: dict[str, str]) -> None:
    frontend.passes("apollo3.test.ts", **buyable)


def test_urql(frontend: Frontend, buyable: dict[str, str]) -> None:
    frontend.passes("urql.test.ts", **buyable)


def test_storefront_of_the_page(frontend: Frontend, buyable: dict[str, str]) -> None:
    frontend.passes("storefront.test.ts", **buyable)


def test_relay(frontend: Frontend, registered: None, buyable: dict[str, str]) -> None:
    frontend.passes("relay.test.ts", **buyable)
