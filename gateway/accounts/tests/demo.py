"""The demo accounts: made once, and put back for every other test that wants them."""

from bson import ObjectId
from django.contrib.auth.models import Group

from gateway.accounts.demo import DOMAIN, ensure_demo_accounts
from gateway.accounts.models import User
from gateway.mongo.client import Document, database

USERS, GROUPS = User._meta.db_table, Group._meta.db_table
MEMBERS, PERMISSIONS = User.groups.through._meta.db_table, Group.permissions.through._meta.db_table
# A test begins with none of them.
TABLES = (USERS, GROUPS, MEMBERS, PERMISSIONS)

_made: dict[str, list[Document]] = {}


def make_demo_accounts() -> None:
    """What `ensure_demo_accounts` makes, by four commands instead of a hundred; people have new ids in every test."""
    people = {"email": {"$regex": f"@{DOMAIN}$"}}
    if not _made or database()[USERS].find_one(people):
        ensure_demo_accounts()
        found = list(database()[USERS].find(people))
        _made[USERS] = found
        _made[GROUPS] = list(database()[GROUPS].find())
        _made[MEMBERS] = list(database()[MEMBERS].find({"user_id": {"$in": [each["_id"] for each in found]}}))
        _made[PERMISSIONS] = list(database()[PERMISSIONS].find())
        return
    ids = {person["_id"]: ObjectId() for person in _made[USERS]}
    database()[USERS].insert_many([{**each, "_id": ids[each["_id"]]} for each in _made[USERS]])
    database()[MEMBERS].insert_many([{**each, "user_id": ids[each["user_id"]]} for each in _made[MEMBERS]])
    for table in (GROUPS, PERMISSIONS):
        database()[table].insert_many(_made[table])
