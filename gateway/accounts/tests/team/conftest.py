"""A team with every role, and a mailbox for its letters."""

import re
from collections.abc import Callable
from email.message import EmailMessage

import pytest
from pymongo.database import Database

from gateway.accounts.models import User
from gateway.accounts.tests.demo import make_demo_accounts
from gateway.mongo.client import Document
from gateway.tests.eventually import eventually
from ordering.tests.conftest import postbox
from ordering.tests.postbox import Postbox, text

__all__ = ["postbox"]


@pytest.fixture
def team(database: Database[Document]) -> Callable[[str], User]:
    make_demo_accounts()
    return lambda login: User.objects.get(email=f"{login}@mobile-world.example")


@pytest.fixture
def links(postbox: Postbox) -> Callable[[], list[str]]:
    """The paths in the letters that have come, oldest first."""

    def path(letter: EmailMessage) -> str:
        found = re.search(r"http://testserver(\S+)", text(letter))
        assert found is not None
        return found[1]

    return lambda: [path(letter) for letter in postbox.letters]


@pytest.fixture
def wait_for_letters(postbox: Postbox) -> Callable[[int], None]:
    return lambda number: eventually(lambda: len(postbox.letters) == number)
