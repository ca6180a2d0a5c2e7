"""Visitors of a real web server."""

from collections.abc import Callable, Iterator

import pytest
from pymongo.database import Database

from gateway.accounts.models import User
from gateway.mongo.client import Document
from gateway.tests.web_servers import Server
from gateway.viewer.tests.mail import Mail
from gateway.viewer.tests.visitor import PASSWORD, Visitor
from ordering.tests.conftest import like, orders, postbox
from ordering.tests.postbox import Postbox

__all__ = ["like", "orders", "postbox"]


@pytest.fixture(scope="session")
def server(serve: Callable[..., Server]) -> Server:
    return serve()


@pytest.fixture
def ivan(database: Database[Document]) -> User:
    return User.objects.create_user("ivan@example.com", PASSWORD, name="Иван Петров", phone="+7 900 000-00-00")


@pytest.fixture
def visitor(server: Server, database: Database[Document]) -> Iterator[Visitor]:
    """A browser without any session."""
    with Visitor(str(server.client.base_url)) as visitor:
        yield visitor


@pytest.fixture
def another(server: Server, database: Database[Document]) -> Iterator[Visitor]:
    with Visitor(str(server.client.base_url)) as visitor:
        yield visitor


@pytest.fixture
def mail(postbox: Postbox, database: Database[Document]) -> Mail:
    """Letters about accounts, as a worker sends them to a real SMTP server."""
    return Mail(postbox)
