"""Many orders at once, as stored, for tests of pages and plans."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, cast

from pymongo.database import Database

from cart.tests.shop import fill
from gateway.accounts.owners import user_id_of
from gateway.mongo.client import Document, database
from gateway.mongo.reads import Read
from ordering.documents import Contact, OrderDocument
from ordering.reading.lookup_keys import keys_of
from ordering.tests.shop import buy

FIRST = datetime(2026, 3, 1, 12, tzinfo=UTC)


def one_bought(owner: str) -> OrderDocument:
    fill(owner, ("PROD-1", 1))
    return buy(owner).order


def copies(
    shop: Database[Document], order: Mapping[str, Any], number: int, *, name: str = "Иван Покупатель", **changes: Any
) -> list[str]:
    """So many like it, the older the further, three of each minute; returns their ids, newest first."""
    start = shop["orders"].count_documents({})
    made = []
    for each in range(number):
        owner: str = changes.get("owner") or order["owner"]
        written = f"{start + each:04}-000-000"
        made.append(
            {
                **order,
                **changes,
                "_id": f"{start + each:08x}-0000-7000-8000-000000000000",
                "number": written,
                "keys": keys_of(
                    number=written,
                    contact=cast("Contact", {**order["contact"], "name": name}),
                    user_id=user_id_of(owner),
                ),
                "created_at": FIRST + timedelta(minutes=(start + each) // 3),
            }
        )
    shop["orders"].insert_many(made)
    return [document["_id"] for document in reversed(made)]


def explained(read: Read[Any]) -> tuple[dict[str, Any], set[str]]:
    """Statistics of the server, and the stages of its plan."""
    command = {
        "find": read.collection,
        "filter": read.where,
        "sort": dict(read.sort),
        "limit": read.limit,
        "hint": read.hint,
    }
    answer = database().command({"explain": command, "verbosity": "executionStats"})
    return answer["executionStats"], _stages(answer["queryPlanner"]["winningPlan"])


def _stages(plan: dict[str, Any]) -> set[str]:
    inner = [*plan.get("inputStages", ()), *plan.get("shards", ())]
    inner += [plan[name] for name in ("inputStage", "winningPlan", "queryPlan") if name in plan]
    below: set[str] = set().union(*map(_stages, inner))
    return {plan["stage"]} | below if "stage" in plan else below
