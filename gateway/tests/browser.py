"""A real browser: one Chromium for all its tests, a context per person, and a strict eye on what the pages ask for."""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal, NamedTuple
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Page,
    Request,
    Response,
    expect,
    sync_playwright,
)

from deploy.local.errors import StackError
from deploy.local.launch import Launch
from deploy.local.progress import Progress
from deploy.node.chromium import Chromium, chromium
from gateway.accounts.demo import DOMAIN, PASSWORD

Scheme = Literal["light", "dark"]


class Size(NamedTuple):
    width: int
    height: int


DESKTOP = Size(1366, 900)
PHONE = Size(390, 844)

# Nothing of its own to ask the outside for, and no sandbox, which needs rights that a container seldom has: the only
# pages it opens are ours.
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)
# A page of ours takes a tenth of it; the rest is for two lanes on two cores.
PATIENCE_MS = 15_000
# The browser gives up what a page no longer wants, a picture of the page just left: nothing failed.
GIVEN_UP = "net::ERR_ABORTED"
# So the browser says what we have noted with its address already.
BAD_ANSWER = "Failed to load resource: the server responded"


@contextmanager
def running_browser() -> Iterator[Browser]:
    """Chromium, driven by Playwright. Meanwhile Django's ORM may be used, although Playwright keeps an event loop."""
    found = _found()
    variable = "DJANGO_ALLOW_ASYNC_UNSAFE"
    before = os.environ.get(variable)
    with sync_playwright() as playwright:
        environ: dict[str, str | float | bool] = {**os.environ, **found.environ}
        browser = playwright.chromium.launch(executable_path=found.program, args=list(FLAGS), env=environ)
        expect.set_options(timeout=PATIENCE_MS)
        os.environ[variable] = "1"
        try:
            yield browser
        finally:
            if before is None:
                del os.environ[variable]
            browser.close()


def _found() -> Chromium:
    try:
        return chromium(Launch(Progress()))
    except StackError as error:
        reason = f"no browser: {error}"
        if os.environ.get("CI") == "true":
            pytest.fail(reason, pytrace=False)
        pytest.skip(reason)


class Tabs:
    """Opens pages of the gateway for one test, each tab as a person of its own, and notes what went wrong in them."""

    def __init__(self, browser: Browser, base_url: str) -> None:
        self._troubles: list[str] = []
        self._browser = browser
        self._base_url = base_url
        self._expected: list[re.Pattern[str]] = []
        self._contexts: list[BrowserContext] = []

    def open(self, size: Size = DESKTOP, scheme: Scheme = "light") -> Page:
        """An empty tab of somebody who has never been here."""
        context = self._browser.new_context(
            base_url=self._base_url,
            viewport={"width": size.width, "height": size.height},
            color_scheme=scheme,
            locale="ru-RU",
            has_touch=size == PHONE,
            is_mobile=size == PHONE,
            reduced_motion="reduce",
        )
        context.set_default_timeout(PATIENCE_MS)
        context.on("console", self._look_at_message)
        context.on("weberror", lambda error: self._note(f"script: {error.error}"))
        context.on("request", self._look_at_request)
        context.on("requestfailed", self._look_at_failure)
        context.on("response", self._look_at_response)
        self._contexts.append(context)
        return context.new_page()

    def expect_trouble(self, pattern: str) -> None:
        """Forgive what the pattern finds: a test that asks for a page that is not there."""
        self._expected.append(re.compile(pattern))

    def unexpected(self) -> list[str]:
        """Each trouble once, in the order of their coming."""
        troubles = dict.fromkeys(self._troubles)
        return [each for each in troubles if not any(pattern.search(each) for pattern in self._expected)]

    def picture(self, folder: Path, name: str) -> None:
        """Write what every tab shows."""
        folder.mkdir(parents=True, exist_ok=True)
        pages = [page for context in self._contexts for page in context.pages]
        for number, page in enumerate(pages, 1):
            page.screenshot(path=folder / f"{name}-{number}.png")

    def close(self) -> None:
        for context in self._contexts:
            context.close()

    def _note(self, trouble: str) -> None:
        self._troubles.append(trouble)

    def _look_at_message(self, message: ConsoleMessage) -> None:
        if message.type == "error" and not message.text.startswith(BAD_ANSWER):
            self._note(f"console: {message.text}")

    def _look_at_request(self, request: Request) -> None:
        parts = urlsplit(request.url)
        if parts.scheme in {"http", "https", "ws", "wss"} and parts.netloc != urlsplit(self._base_url).netloc:
            self._note(f"asked another host: {request.url}")

    def _look_at_failure(self, request: Request) -> None:
        if request.failure != GIVEN_UP:
            self._note(f"failed: {request.method} {request.url} {request.failure}")

    def _look_at_response(self, response: Response) -> None:
        if response.status >= 400:
            self._note(f"answered {response.status}: {response.request.method} {response.url}")


def signed_in(page: Page, login: str) -> Page:
    """Through the form, as one of the demo accounts."""
    page.goto("/admin/")
    page.locator("#id_username").fill(f"{login}@{DOMAIN}")
    page.locator("#id_password").fill(PASSWORD)
    page.locator("#login-form button[type=submit]").click()
    page.wait_for_url(re.compile(r"/admin/$"))
    return page


def overflow(page: Page) -> int:
    """By how many pixels the page is wider than the window: 0, or a person has to scroll sideways."""
    width: int = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    return width
