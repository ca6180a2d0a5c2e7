"""What a person sees when something goes wrong, on a real server without DEBUG."""

import re
from collections.abc import Callable

import httpx
import pytest

from gateway.tests.eventually import eventually
from gateway.tests.web_servers import Server

LARGEST_BODY = 1_000
PAGES = {
    "/suspect": (400, "Запрос не понят"),
    "/forbid": (403, "Нет доступа"),
    "/nowhere": (404, "Страница не найдена"),
    "/admin/nowhere/": (302, ""),
    "/fail": (500, "Ошибка на сервере"),
    "/nobody": (503, "База данных недоступна"),
}
BROKEN = [path for path, (status, _) in PAGES.items() if status >= 400]


@pytest.fixture
def server(serve: Callable[..., Server]) -> Server:
    return serve(
        DEBUG="false",
        DJANGO_SETTINGS_MODULE="gateway.web.tests.broken_settings",
        DJANGO_MAX_BODY_BYTES=str(LARGEST_BODY),
    )


@pytest.fixture
def client(server: Server) -> httpx.Client:
    return server.client


@pytest.mark.parametrize("path", PAGES)
def test_page_says_what_happened_under_its_status(client: httpx.Client, path: str) -> None:
    response = client.get(path)

    status, title = PAGES[path]
    assert response.status_code == status
    assert title in response.text


@pytest.mark.parametrize("path", BROKEN)
def test_page_shows_the_id_of_the_request_and_the_way_home(client: httpx.Client, path: str) -> None:
    response = client.get(path, headers={"x-request-id": "asked-by-a-test"})

    assert response.headers["x-request-id"] == "asked-by-a-test"
    assert '<code id="request-id">asked-by-a-test</code>' in response.text
    assert '<a href="/admin/">На главную</a>' in response.text


@pytest.mark.parametrize("path", BROKEN)
def test_page_asks_for_nothing_outside_and_has_both_colours(client: httpx.Client, path: str) -> None:
    page = client.get(path).text

    assert re.findall(r"""(?:src|href)=["']?((?:https?:)?//[^"']*)""", page) == []
    assert "<script" not in page
    assert "prefers-color-scheme: dark" in page
    assert 'name="viewport"' in page


def test_page_leads_back_to_where_the_person_came_from(client: httpx.Client) -> None:
    previous = str(client.base_url.join("/admin/?q=1&r=2"))

    page = client.get("/nowhere", headers={"referer": previous}).text

    assert f'<a href="{previous.replace("&", "&amp;")}">Вернуться назад</a>' in page


@pytest.mark.parametrize("referer", ["https://evil.example/admin/", "javascript:alert(1)", "//evil.example/"])
def test_page_leads_back_to_no_other_site(client: httpx.Client, referer: str) -> None:
    page = client.get("/nowhere", headers={"referer": referer}).text

    assert "Вернуться назад" not in page
    assert "evil.example" not in page


def test_fault_is_logged_with_the_id_that_the_person_sees(server: Server) -> None:
    page = server.client.get("/fail", headers={"x-request-id": "shown-to-a-person"}).text

    assert "a secret of ours" not in page
    eventually(
        lambda: [line["status"] for line in server.logged("request") if line["request_id"] == "shown-to-a-person"],
        [500],
    )


def test_form_without_its_token_is_explained(client: httpx.Client) -> None:
    response = client.post("/admin/login/", data={"username": "somebody@example.com", "password": "guess"})

    assert response.status_code == 403
    assert "Форма устарела" in response.text
    assert "Ничего не изменено" in response.text


@pytest.mark.parametrize(("cookie", "title"), [("", "Запрос не принят"), ("django_language=en", "was not taken")])
def test_what_the_door_refuses_is_a_page_for_browsers(client: httpx.Client, cookie: str, title: str) -> None:
    headers = {"accept": "text/html,*/*", "cookie": cookie, "x-request-id": "stopped-at-the-door"}

    response = client.post("/admin/login/", content=b"x" * (LARGEST_BODY + 1), headers=headers)

    assert (response.status_code, response.headers["content-type"]) == (413, "text/html; charset=utf-8")
    assert title in response.text
    assert "stopped-at-the-door" in response.text


def test_and_a_line_for_programs(client: httpx.Client) -> None:
    response = client.post("/payments/webhook", content=b"x" * (LARGEST_BODY + 1))

    assert (response.status_code, response.text) == (413, "Тело запроса слишком велико.")


def test_pages_of_programs_stay_as_they_are(client: httpx.Client) -> None:
    refused = client.post("/graphql", content=b"{", headers={"content-type": "application/json"})

    assert refused.headers["content-type"].startswith("application/")
    assert client.get("/healthz").json() == {"status": "ok"}


def test_browsers_find_the_sign_of_the_shop(client: httpx.Client) -> None:
    icon = client.get("/favicon.ico")
    drawn = client.get("/static/admin_ext/favicon.svg")

    assert (icon.status_code, icon.headers["content-type"]) == (200, "image/x-icon")
    assert icon.content[:4] == b"\x00\x00\x01\x00"
    assert icon.headers["cache-control"] == "public, max-age=86400"
    assert (drawn.status_code, drawn.headers["content-type"]) == (200, "image/svg+xml")
