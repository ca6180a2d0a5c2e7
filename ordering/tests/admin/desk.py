"""Staff at the admin pages of orders: signed in by role, opening pages and sending dialogs."""

import html
import re
from typing import Any

from django.contrib.auth.models import Group
from django.test import Client
from pymongo.database import Database

from gateway.accounts.models import User
from gateway.mongo.client import Document

LIST = "/admin/ordering/order/"
NOBODY = ""


def staff_of(role: str) -> Client:
    """A new member of staff with the rights of this role alone, signed in."""
    number = User.objects.count()
    user = User.objects.create_user(f"agent{number}@example.com", name=f"Агент {number}", is_staff=True)
    if role:
        user.groups.set([Group.objects.get(name=role)])
    client = Client()
    client.force_login(user)
    return client


def page_of(order_id: str) -> str:
    return f"{LIST}{order_id}/change/"


def dialog_of(order_id: str, name: str) -> str:
    return f"{LIST}{order_id}/{name}/"


def shown(client: Client, address: str, **parameters: str) -> str:
    """The text of a page that is there."""
    page = client.get(address, parameters)
    assert page.status_code == 200, page
    return text_of(page.content.decode())


def text_of(page: str) -> str:
    """What a person reads, in one line; spaces that do not break are spaces."""
    body = page[page.index('id="content-main"') :]
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", body)).split())


def buttons(client: Client, order_id: str) -> list[str]:
    """The names of the actions that the page of the order offers."""
    page = client.get(page_of(order_id))
    assert page.status_code == 200
    return [button.name for button in page.context["buttons"]]


def sent(client: Client, order_id: str, dialog: str, /, **fields: Any) -> dict[str, list[str]]:
    """Send the dialog; returns its refusals by field, none when it was done."""
    answer = client.post(dialog_of(order_id, dialog), fields)
    if answer.status_code == 302:
        assert answer["Location"] == page_of(order_id)
        return {}
    assert answer.status_code == 200, answer
    errors: dict[str, list[str]] = {field: list(told) for field, told in answer.context["form"].errors.items()}
    assert errors
    return errors


def audited(database: Database[Document], order_id: str) -> list[tuple[str, str, str]]:
    """Action, source and reason of what the audit has of the order, oldest first."""
    found = database["audit"].find({"target": f"order:{order_id}"}).sort("_id", 1)
    return [(entry["action"], entry["source"], entry["reason"]) for entry in found]
