"""GraphiQL, the page for trying queries in development. Its scripts are served by the gateway, none by a CDN."""

import base64
import hashlib
import re

from django.conf import settings

from gateway.graphql.http.negotiation import GRAPHQL_RESPONSE, HTML, JSON, chosen
from gateway.web.http import Scope, header
from gateway.web.transport import CONTENT_SECURITY_POLICY

FILES = ("graphiql.min.css", "graphiql.min.js", "react.production.min.js", "react-dom.production.min.js")

_PAGE = """<!doctype html>
<html lang="ru">
<meta charset="utf-8">
<title>Мобильный мир · GraphiQL</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/static/graphiql/graphiql.min.css">
<style>body, #graphiql { margin: 0; height: 100vh }</style>
<div id="graphiql"></div>
<script src="/static/graphiql/react.production.min.js"></script>
<script src="/static/graphiql/react-dom.production.min.js"></script>
<script src="/static/graphiql/graphiql.min.js"></script>
<script>
  const query = new URLSearchParams(location.search).get("query") ?? undefined;
  const fetcher = GraphiQL.createFetcher({ url: location.pathname });
  ReactDOM.createRoot(document.getElementById("graphiql")).render(
    React.createElement(GraphiQL, { fetcher, query, defaultQuery: "{ geozones { code name } }" }),
  );
</script>
</html>
"""

_WITHOUT_SCRIPTS = """<!doctype html>
<html lang="ru">
<meta charset="utf-8">
<title>Мобильный мир · GraphQL</title>
<p>Сценариев GraphiQL нет в {directory}: их загружает <code>make run</code>.</p>
</html>
"""


def _policy(page: str) -> str:
    """The common content security policy, with the page's own script allowed by its hash."""
    (script,) = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return f"{CONTENT_SECURITY_POLICY}; script-src 'self' 'sha256-{digest}'"


POLICY = _policy(_PAGE)


def is_wanted(scope: Scope) -> bool:
    """Whether a browser asks for the page: programs prefer JSON, or take anything."""
    return settings.GRAPHIQL and chosen(header(scope, "accept"), (JSON, GRAPHQL_RESPONSE, HTML)) == HTML


def page() -> bytes:
    if all((settings.GRAPHIQL_ASSETS / name).is_file() for name in FILES):
        return _PAGE.encode()
    return _WITHOUT_SCRIPTS.format(directory=settings.GRAPHIQL_ASSETS).encode()
