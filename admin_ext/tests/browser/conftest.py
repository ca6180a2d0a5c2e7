"""The browser, the web server it talks to, and people who sign in."""

from collections.abc import Generator, Iterator

import httpx
import pytest
from django.conf import settings
from playwright.sync_api import Browser
from pymongo.database import Database

from gateway.accounts.tests.demo import make_demo_accounts
from gateway.mongo.client import Document
from gateway.tests.browser import Tabs, running_browser

FAILED = pytest.StashKey[bool]()
# What the tabs showed when a test failed.
PICTURES = settings.BASE_DIR / ".local" / "failed"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    item.stash[FAILED] = item.stash.get(FAILED, False) or report.failed
    return report


@pytest.fixture(scope="package")
def browser(web: httpx.Client) -> Iterator[Browser]:
    """Ends with the room: what comes after in the same process may want an event loop of its own."""
    with running_browser() as browser:
        yield browser


@pytest.fixture
def tabs(
    request: pytest.FixtureRequest, browser: Browser, web: httpx.Client, stocked: Database[Document]
) -> Iterator[Tabs]:
    """Opens tabs on a shop with three products and the demo accounts; what goes wrong in them fails the test."""
    make_demo_accounts()
    opened = Tabs(browser, str(web.base_url))
    yield opened
    troubles = opened.unexpected()
    if troubles or request.node.stash.get(FAILED, False):
        opened.picture(PICTURES, request.node.name)
    opened.close()
    if troubles:
        pytest.fail("\n".join(troubles), pytrace=False)
