"""The ASGI application: /graphql and the health pages are answered here, everything else by Django.

Each half has its own bound on what it does at once; the health pages have none.

Django's middleware would cost a GraphQL read fifteen thread hops. Served by `gateway.web.server`, or by
`uvicorn gateway.asgi:application --no-proxy-headers`: TRUSTED_PROXIES says whom to believe about the client.
"""

import gc
import os
import sys

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "gateway.settings")
django_application = get_asgi_application()

from gateway.graphql.http.endpoint import graphql_endpoint  # noqa: E402
from gateway.graphql.http.prompt import graphql_at_once  # noqa: E402
from gateway.production.checks import refuse_unsafe_production  # noqa: E402
from gateway.web.admission import Door  # noqa: E402 - these need the apps loaded
from gateway.web.front import Front  # noqa: E402
from gateway.web.health import healthz, readyz  # noqa: E402
from gateway.web.transport import prompt_api, public_api, public_pages, with_headers  # noqa: E402

refuse_unsafe_production()
application = Front(
    routes={
        "/graphql": public_api(graphql_endpoint),
        "/healthz": with_headers(healthz),
        "/readyz": with_headers(readyz),
    },
    fallback=public_pages(Door(django_application)),
    prompt={"/graphql": prompt_api(graphql_at_once)},
)
# How long a thread that computes keeps the event loop waiting, each time that it wants to go on: with Python's five
# milliseconds a request beside one new document after another would take ten times as long.
sys.setswitchinterval(0.0005)
# What is here now stays: the collector would look at all of it again and again, a fifth of a second each time in which
# nobody is answered.
gc.collect()
gc.freeze()
