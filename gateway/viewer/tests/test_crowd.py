"""Many sign in at once, through a web server that hashes passwords as production does."""

import re
import resource
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from pymongo.database import Database

from gateway.accounts.models import User
from gateway.accounts.sign_in.hashing import ServerArgon2
from gateway.mongo.client import Document
from gateway.tests.races import at_once
from gateway.tests.web_servers import Server
from gateway.viewer.tests.visitor import PASSWORD, Visitor, visitors

# Enough for two hashes and every thread that a server starts; a sixth of what sixteen of Django's own would take.
SPARE_BYTES = 300 * 1024 * 1024


@pytest.fixture(scope="module")
def small(serve: Callable[..., Server]) -> Server:
    return serve(DJANGO_SETTINGS_MODULE="gateway.tests.real_passwords")


@pytest.fixture
def people(database: Database[Document]) -> list[str]:
    hashed = ServerArgon2().encode(PASSWORD, "s" * 22)
    emails = [f"buyer-{number}@example.com" for number in range(16)]
    User.objects.bulk_create([User(email=email, password=hashed) for email in emails])
    return emails


def sign_in_at_once(server: Server, emails: list[str]) -> list[list[str]]:
    """The codes of the errors that each got."""
    with visitors(server, len(emails)) as crowd:
        answers = at_once(*[partial(visitor.login, email) for visitor, email in zip(crowd, emails, strict=True)])
    return [[error["code"] for error in answer["userErrors"]] for answer in answers]


def limit_memory(server: Server) -> None:
    """To what it has now and a little more."""
    pid = int(re.findall(r"Started server process \[(\d+)\]", server.log.read_text())[-1])
    status = Path(f"/proc/{pid}/status").read_text()
    kilobytes = int(re.findall(r"VmData:\s+(\d+) kB", status)[0])
    resource.prlimit(pid, resource.RLIMIT_DATA, (kilobytes * 1024 + SPARE_BYTES,) * 2)


def test_sixteen_sign_in_at_once_in_little_memory_and_all_get_in(small: Server, people: list[str]) -> None:
    small.client.post("/graphql", json={"query": "{ geozones { code } }"})
    limit_memory(small)

    assert sign_in_at_once(small, people) == [[]] * 16
    assert small.client.get("/healthz").status_code == 200


def test_beyond_the_queue_they_are_asked_to_come_again_and_nothing_is_counted_against_them(
    serve: Callable[..., Server], people: list[str]
) -> None:
    narrow = serve(
        DJANGO_SETTINGS_MODULE="gateway.tests.real_passwords",
        PASSWORD_THREADS="1",
        PASSWORD_QUEUE="0",
        SIGN_IN_FAILURES_PER_ACCOUNT="1",
        SIGN_IN_FAILURES_PER_ADDRESS="1",
    )

    outcomes = sign_in_at_once(narrow, people)

    refused = [email for email, codes in zip(people, outcomes, strict=True) if codes]
    assert {code for codes in outcomes for code in codes} == {"RATE_LIMITED"}
    assert len(refused) < len(people)
    with Visitor(str(narrow.client.base_url)) as visitor:
        assert [visitor.login(email)["userErrors"] for email in refused] == [[]] * len(refused)
