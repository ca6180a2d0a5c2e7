"""Whoever calls the API in the tests: guests, customers and staff with real sessions."""

from typing import Any

import httpx
from django.conf import settings
from django.test import Client

from cart.tests.buyer import ADD, Buyer, lines
from gateway.accounts.models import User

EMAIL = "{}@mobile-world.example"


def person(web: httpx.Client, login: str) -> Buyer:
    """One of the demo accounts, signed in."""
    browser = Client()
    browser.force_login(User.objects.get(email=EMAIL.format(login)))
    return Buyer(web, browser.cookies[settings.SESSION_COOKIE_NAME].value)


def filled(buyer: Buyer, *wanted: tuple[str, int]) -> Buyer:
    buyer.send(ADD, lines=lines(*wanted))
    return buyer


def errors_of(web: httpx.Client, buyer: Buyer, query: str, **variables: Any) -> list[tuple[str, str]]:
    """Code and message of the errors of the whole answer."""
    headers = {"cookie": f"{settings.SESSION_COOKIE_NAME}={buyer.token}"} if buyer.token else {}
    answer = web.post("/graphql", json={"query": query, "variables": variables}, headers=headers).json()
    return [(error["extensions"]["code"], error["message"]) for error in answer.get("errors", [])]
