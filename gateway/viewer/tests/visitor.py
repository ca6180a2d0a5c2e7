"""Somebody with a browser, or with an app that keeps its token itself."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, Self

import httpx

from gateway.tests.web_servers import Server

PASSWORD = "correct horse battery"

PAYLOAD = "{ token viewer { user { email } } userErrors { code field message } warnings { code message } }"
LOGIN = f"mutation ($email: String!, $password: String!) {{ login(email: $email, password: $password) {PAYLOAD} }}"
REGISTER = (
    "mutation ($email: String!, $password: String!, $name: String!, $phone: String!)"
    f" {{ register(email: $email, password: $password, name: $name, phone: $phone) {PAYLOAD} }}"
)


class Visitor:
    def __init__(self, base_url: str) -> None:
        self.http = httpx.Client(base_url=base_url, timeout=20)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.http.close()

    def send(self, query: str, variables: dict[str, Any] | None = None, /, **headers: str) -> httpx.Response:
        return self.http.post("/graphql", json={"query": query, "variables": variables or {}}, headers=headers)

    def ask(self, query: str, variables: dict[str, Any] | None = None, /, **headers: str) -> Any:
        answer = self.send(query, variables, **headers).json()
        assert "errors" not in answer, answer
        return answer["data"]

    def login(self, email: str = "ivan@example.com", password: str = PASSWORD, **headers: str) -> Any:
        return self.ask(LOGIN, {"email": email, "password": password}, **headers)["login"]

    def register(self, email: str, password: str = PASSWORD, name: str = "", phone: str = "", **headers: str) -> Any:
        variables = {"email": email, "password": password, "name": name, "phone": phone}
        return self.ask(REGISTER, variables, **headers)["register"]

    def email(self, **headers: str) -> str | None:
        """The address of the account that is signed in; None for a guest."""
        user = self.ask("{ viewer { user { email } } }", **headers)["viewer"]["user"]
        return user["email"] if user else None

    @property
    def cookie(self) -> str | None:
        return self.http.cookies.get("sessionid")


@contextmanager
def visitors(server: Server, number: int) -> Iterator[list[Visitor]]:
    """So many of them, each with a browser of its own."""
    with ExitStack() as doors:
        yield [doors.enter_context(Visitor(str(server.client.base_url))) for _ in range(number)]


def bearer(token: str) -> dict[str, str]:
    return {"authorization": f"Bearer {token}"}
