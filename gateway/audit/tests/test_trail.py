"""The audit entry shares the fate of the change it tells of."""

from decimal import Decimal

import pytest
from bson import Decimal128
from pymongo.database import Database

from gateway.audit.trail import Action, Actor, differences, record
from gateway.mongo.client import Document
from gateway.mongo.transactions import in_transaction

IMPORT = Actor.program("import")


def test_entry_outside_a_transaction_is_refused(database: Database[Document]) -> None:
    with pytest.raises(RuntimeError, match="transaction"):
        record(Action.PRODUCT_ADDED, "product:X", actor=IMPORT, changes={})

    assert database["audit"].count_documents({}) == 0


def test_entry_of_a_change_that_failed_does_not_exist(database: Database[Document]) -> None:
    def work() -> None:
        record(Action.PRODUCT_ADDED, "product:X", actor=IMPORT, changes={})
        raise LookupError

    with pytest.raises(LookupError):
        in_transaction(work)

    assert database["audit"].count_documents({}) == 0


def test_amounts_are_kept_as_text(database: Database[Document]) -> None:
    changes = {"price": (Decimal("1.10"), Decimal128("2.00")), "parts": ([], [{"price": Decimal("3.00")}])}

    in_transaction(lambda: record(Action.PRODUCT_CHANGED, "product:X", actor=IMPORT, changes=changes))

    entry = database["audit"].find_one()
    assert entry is not None
    assert entry["changes"] == {"price": ["1.10", "2.00"], "parts": [[], [{"price": "3.00"}]]}
    assert (entry["actor_id"], entry["actor"]) == ("", "import")


def test_differences_name_what_changed_came_and_went() -> None:
    before = {"name": "a", "size": 1, "gone": True}
    after = {"name": "b", "size": 1, "new": []}

    assert differences(before, after) == {"name": ("a", "b"), "new": (None, []), "gone": (True, None)}
