"""The page for trying queries: for people in development, complete without any other host."""

import re

import httpx

from gateway.graphql.http.graphiql import FILES
from gateway.tests.web_servers import Server

BROWSER = {"accept": "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8"}


def test_browser_gets_the_page_and_every_script_from_the_gateway(alone: Server) -> None:
    page = alone.client.get("/graphql", headers=BROWSER)
    sources = re.findall(r'(?:src|href)="([^"]+)"', page.text)
    files = [alone.client.get(source) for source in sources if source != "data:,"]

    assert (page.status_code, page.headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert {source for source in sources if source != "data:,"} == {f"/static/graphiql/{name}" for name in FILES}
    assert [file.status_code for file in files] == [200] * len(FILES)
    assert not [file.url for file in files if re.search(r"@import|url\(\s*['\"]?https?:|importScripts", file.text)]


def test_program_gets_json_from_the_same_address(alone: Server) -> None:
    response = alone.client.get("/graphql", params={"query": "{ __typename }"})

    assert response.json()["data"] == {"__typename": "Query"}


def test_no_page_in_production(strict: Server) -> None:
    response = strict.client.get("/graphql", headers=BROWSER)

    assert response.status_code == 400
    assert response.headers["content-type"] == "application/json; charset=utf-8"


def test_without_scripts_the_page_says_where_they_come_from(web: httpx.Client) -> None:
    response = web.get("/graphql", headers=BROWSER)

    assert response.status_code == 200
    assert "GraphiQL" in response.text
