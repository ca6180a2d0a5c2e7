"""The storefront while MongoDB is killed, through the web server: one outage, all questions, and what was before."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import httpx
import pytest
from django.test import override_settings

from catalog.cassandra.structure import copy_structure
from catalog.cassandra.sync import SYNCED
from catalog.cassandra.tables import ANYWHERE, PRODUCTS_CACHE_BY_REGION
from catalog.structure.category_tree import CATEGORIES
from catalog.tests.listing import shop
from deploy.local.start.stack import Stack
from gateway.accounts.models import User
from gateway.cassandra.driver.session import CONNECTOR
from gateway.cassandra.partition_stats import PARTITION_STATS, TRUSTED
from gateway.cassandra.writes import write
from gateway.graphql.relay.ids import global_id
from gateway.mongo.client import database
from gateway.mongo.collections import declared_collections
from gateway.sync.copy import copy_documents
from gateway.sync.tests.rows import forget_rows
from gateway.tests.eventually import eventually
from gateway.tests.web_servers import Server
from gateway.viewer.tests.visitor import PASSWORD, Visitor, bearer

pytestmark = pytest.mark.timeout(300)

DOCUMENTS = shop.products(80)
ON_SALE = [each for each in DOCUMENTS if not each["withdrawn"]]
(WITHDRAWN, *_) = [each for each in DOCUMENTS if each["withdrawn"]]
STOCKED = next(each for each in ON_SALE if len(each["stock"]) > 2)
GEOZONE = STOCKED["stock"][1]["geozone"]

CARD = """
  id productId name description category { slug name ancestors { name } } price { amount currency } basePrice { amount }
  discountPercent attributes { name value } images { url alt } stock { geozone available } createdAt updatedAt
"""
PAGE = f"pageInfo {{ hasNextPage hasPreviousPage startCursor endCursor }} edges {{ cursor node {{ {CARD} }} }}"


def of(document: dict[str, Any]) -> str:
    return global_id("Product", document["category"], document["_id"])


def page(**arguments: str) -> str:
    given = ", ".join(f"{name}: {value}" for name, value in arguments.items())
    return f"{{ products({given}) {{ {PAGE} }} }}"


PHONES = '{category: "phones"}'
QUESTIONS = {
    "card by id": f'{{ product(id: "{of(STOCKED)}") {{ {CARD} }} }}',
    "card by product id": f'{{ product(productId: "{STOCKED["_id"]}") {{ {CARD} }} }}',
    "card of a withdrawn product": f'{{ product(id: "{of(WITHDRAWN)}") {{ name }} }}',
    "card under another category": f'{{ product(id: "{global_id("Product", "empty", STOCKED["_id"])}") {{ name }} }}',
    "unknown product": '{ product(productId: "PROD-none") { name } }',
    "nodes": f'{{ nodes(ids: ["{of(STOCKED)}", "{of(WITHDRAWN)}"]) {{ id ... on Product {{ {CARD} }} }} }}',
    "stock": f'{{ stock(product: "{of(STOCKED)}") {{ geozone available }} }}',
    "stock in a geozone": f'{{ stock(product: "{of(STOCKED)}", geozone: "{GEOZONE}") {{ available }} }}',
    "cheapest of a category and below": page(filter=PHONES, first="7"),
    "dearest": page(filter=PHONES, sort="PRICE_DESC", first="7"),
    "last page": page(filter=PHONES, last="7"),
    "all categories": page(first="30"),
    "in stock in a region": page(filter='{category: "audio", inStockIn: "msk"}', first="50"),
    "in a range of prices": page(filter='{category: "phones", price: {min: "20000", max: "60000.00"}}', first="50"),
    "empty category": page(filter='{category: "empty"}'),
    "no product at all": page(filter=PHONES, first="0"),
    "geozones": "{ geozones { code name } }",
}
# Answered from memory as long as the policy allows, outage or not.
OF_THE_TREE = {
    "categories": "{ categories { slug name children { slug name ancestors { slug } } } }",
    "category": '{ category(slug: "headphones") { id name children { name } } }',
}
SEARCHES = (
    'filter: {search: "samsung"}',
    "sort: NEWEST",
    'filter: {attributes: [{name: "Цвет", values: ["белый"]}]}',
)
ADD = f'mutation {{ cartLinesAdd(lines: [{{product: "{of(STOCKED)}", quantity: 1}}]) {{ userErrors {{ code }} }} }}'


class Outage(NamedTuple):
    web: httpx.Client
    stack: Stack
    before: dict[str, Any]
    token: str
    """The token of a customer who had signed in."""

    def ask(self, query: str, **headers: str) -> httpx.Response:
        return self.web.post("/graphql", json={"query": query}, headers=headers)


def walked(ask: Callable[[str], Any], *, sort: str, backward: bool, start: str | None = None) -> list[Any]:
    """The pages of a category, each after the last; or only the first after the cursor given."""
    pages, cursor = [], start
    while True:
        arguments = {"filter": PHONES, "sort": sort, "last" if backward else "first": "9"}
        if cursor:
            arguments["before" if backward else "after"] = f'"{cursor}"'
        found = ask(page(**arguments))["products"]
        pages.append(found)
        more = found["pageInfo"]["hasPreviousPage" if backward else "hasNextPage"]
        cursor = found["pageInfo"]["startCursor" if backward else "endCursor"]
        if start or not more:
            return pages


WALKS = [(sort, backward) for sort in ("PRICE_ASC", "PRICE_DESC") for backward in (False, True)]


@pytest.fixture(scope="module")
def filled(cluster: None) -> Iterator[None]:
    """A shop in both stores; its largest category in three buckets."""
    with override_settings(CASSANDRA_CONNECT_TIMEOUT=20.0, CASSANDRA_REQUEST_TIMEOUT=20.0):
        CONNECTOR.close()
        forget_rows()
        TRUSTED.forget()
        write([PARTITION_STATS.delete({"table_name": PRODUCTS_CACHE_BY_REGION.name})])
        write(
            PARTITION_STATS.upsert(
                {"table_name": PRODUCTS_CACHE_BY_REGION.name, "partition_key": f"{ANYWHERE}/smartphones/{bucket}"}
            )
            for bucket in range(3)
        )
        shop.fill(database(), DOCUMENTS)
        User.objects.create_user("ivan@example.com", PASSWORD)
        copy_structure()
        copy_documents(SYNCED, list(database()["products"].find()))
        CONNECTOR.close()
    yield
    for name in (*(name for name, _ in declared_collections()), User._meta.db_table):
        database()[name].delete_many({})
    CATEGORIES.forget()


@pytest.fixture(scope="module")
def outage(web: httpx.Client, filled: None, stack_of_module: Stack) -> Outage:
    """Everything is asked for, then MongoDB is killed."""

    def data(query: str) -> Any:
        answer = web.post("/graphql", json={"query": query})
        assert (answer.status_code, "errors" in answer.json(), "degraded" in answer.json()["extensions"]) == (
            200,
            False,
            False,
        ), answer.json()
        return answer.json()["data"]

    before = {name: data(query) for name, query in (QUESTIONS | OF_THE_TREE).items()}
    for sort, backward in WALKS:
        before[f"{sort} {backward}"] = walked(data, sort=sort, backward=backward)
    with Visitor(str(web.base_url)) as ivan:
        token = ivan.login()["token"]
    for mongos in ("mongos-1", "mongos-2"):
        stack_of_module.kill(mongos)
    return Outage(web, stack_of_module, before, token)


def test_everything_was_there_before(outage: Outage) -> None:
    """Else «the same as before» would say little."""
    pages = {name: answer["products"] for name, answer in outage.before.items() if "products" in answer}
    sizes = {name: len(found["edges"]) for name, found in pages.items()}

    assert sizes["cheapest of a category and below"] == sizes["dearest"] == sizes["last page"] == 7
    assert sizes["in stock in a region"] > 3
    assert sizes["in a range of prices"] > 5
    assert len(outage.before["PRICE_ASC False"]) > 4
    assert outage.before["card by id"]["product"]["productId"] == STOCKED["_id"]
    assert outage.before["nodes"]["nodes"][1] is None


@pytest.mark.parametrize("question", QUESTIONS)
def test_answer_is_the_same_marked_and_kept_by_nobody(outage: Outage, question: str) -> None:
    answer = outage.ask(QUESTIONS[question])

    assert answer.status_code == 200
    assert answer.json().get("errors") is None
    assert answer.json()["data"] == outage.before[question]
    assert answer.json()["extensions"]["degraded"] is True
    assert answer.headers["cache-control"] == "private, no-store"


@pytest.mark.parametrize("question", OF_THE_TREE)
def test_tree_is_remembered(outage: Outage, question: str) -> None:
    answer = outage.ask(OF_THE_TREE[question]).json()

    assert (answer["data"], answer.get("errors")) == (outage.before[question], None)


def test_answer_by_get_is_not_cached_either(outage: Outage) -> None:
    answer = outage.web.get("/graphql", params={"query": QUESTIONS["card by id"]})

    assert answer.json()["data"] == outage.before["card by id"]
    assert (answer.headers["cache-control"], "etag" in answer.headers) == ("private, no-store", False)


@pytest.mark.parametrize(("sort", "backward"), WALKS)
def test_every_page_and_cursor_is_the_same_in_both_orders_and_directions(
    outage: Outage, sort: str, backward: bool
) -> None:
    pages = walked(lambda query: outage.ask(query).json()["data"], sort=sort, backward=backward)

    assert pages == outage.before[f"{sort} {backward}"]


def test_what_cassandra_cannot_find_says_so(outage: Outage) -> None:
    for asked in SEARCHES:
        answer = outage.ask(f"{{ products({asked}) {{ nodes {{ name }} }} }}", **{"accept-language": "en"})

        (error,) = answer.json()["errors"]
        assert (answer.status_code, answer.headers["retry-after"], answer.json()["data"]) == (503, "3", None)
        assert (error["extensions"]["code"], error["extensions"]["retryAfter"]) == ("UNAVAILABLE", 3)
        assert error["message"].startswith("For the moment there are categories and regions in the order of price;")


def test_page_is_shown_without_its_figures_and_filters(outage: Outage) -> None:
    figures = "totalCount facets { name } priceRange { min { amount } }"

    answer = outage.ask(f"{{ products(filter: {PHONES}, first: 1) {{ {figures} nodes {{ id }} }} }}")

    found = answer.json()["data"]["products"]
    first = outage.before["cheapest of a category and below"]["products"]["edges"][0]["node"]["id"]
    assert found == {"totalCount": None, "facets": [], "priceRange": None, "nodes": [{"id": first}]}
    assert answer.status_code == 200
    assert [(error["path"], error["extensions"]["code"]) for error in answer.json()["errors"]] == [
        (["products", "totalCount"], "UNAVAILABLE"),
        (["products", "priceRange"], "UNAVAILABLE"),
    ]


def test_change_is_refused_and_asks_to_come_back(outage: Outage) -> None:
    answer = outage.ask(ADD)

    (error,) = answer.json()["errors"]
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "3")
    assert error["message"] == "Магазин временно не принимает изменения, повторите чуть позже."
    assert (error["path"], error["extensions"]["code"]) == (["cartLinesAdd"], "UNAVAILABLE")
    assert "set-cookie" not in answer.headers


def test_process_that_starts_meanwhile_answers_too(outage: Outage, serve: Callable[..., Server]) -> None:
    started = serve(MONGODB_PATIENCE_SECONDS="1").client

    for question in ("card by id", "all categories", "geozones"):
        answer = started.post("/graphql", json={"query": QUESTIONS[question]}).json()
        assert (answer["data"], answer["extensions"]["degraded"]) == (outage.before[question], True)


def test_account_is_not_told_by_the_session_alone(outage: Outage) -> None:
    answer = outage.ask("{ viewer { user { email } } geozones { code } }", **bearer(outage.token))

    (error,) = answer.json()["errors"]
    assert (answer.status_code, error["path"], error["extensions"]["code"]) == (200, ["viewer", "user"], "UNAVAILABLE")
    assert answer.json()["data"]["viewer"] == {"user": None}
    assert len(answer.json()["data"]["geozones"]) == 5


def test_customer_can_still_sign_out(outage: Outage) -> None:
    answer = outage.ask("mutation { logout { token } }", **bearer(outage.token))

    assert answer.json()["data"] == {"logout": {"token": None}}


@pytest.fixture(scope="module")
def back(outage: Outage) -> Outage:
    """MongoDB is there again, and the web server has noticed by itself."""
    for mongos in ("mongos-1", "mongos-2"):
        outage.stack.start(mongos)
    eventually(lambda: "degraded" not in outage.ask(QUESTIONS["stock"]).json()["extensions"], within=60)
    return outage


@pytest.mark.parametrize("question", QUESTIONS)
def test_afterwards_all_is_as_before_and_unmarked(back: Outage, question: str) -> None:
    answer = back.ask(QUESTIONS[question]).json()

    assert answer["data"] == back.before[question]
    assert "degraded" not in answer["extensions"]


def test_afterwards_changes_are_taken_again_and_the_refused_one_was_not_done(back: Outage) -> None:
    assert database()["carts"].count_documents({}) == 0

    answer = back.ask(ADD)

    assert answer.json()["data"]["cartLinesAdd"]["userErrors"] == []
    assert database()["carts"].count_documents({}) == 1


def test_session_that_was_ended_meanwhile_stays_ended(back: Outage) -> None:
    answer = back.ask("{ viewer { user { email } } }", **bearer(back.token))

    assert answer.json()["data"] == {"viewer": {"user": None}}
