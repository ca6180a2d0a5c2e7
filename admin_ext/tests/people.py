"""Members of staff of every role, signed in."""

from django.contrib.auth.models import Group
from django.test import Client

from gateway.accounts.models import User
from gateway.accounts.tests.demo import make_demo_accounts


def member(role: str | None) -> Client:
    """A browser of somebody with this role alone; None: of somebody on the staff who may do nothing yet."""
    if not Group.objects.exists():
        make_demo_accounts()
    person = User.objects.create_user(f"member-{User.objects.count()}@mobile-world.example", is_staff=True)
    person.groups.set(Group.objects.filter(name=role))
    browser = Client()
    browser.force_login(person)
    return browser


def only_administrator() -> Client:
    """A browser of the first account of a new shop, which may do everything."""
    browser = Client()
    browser.force_login(User.objects.create_superuser("first@mobile-world.example"))
    return browser


def in_english(browser: Client) -> Client:
    browser.post("/admin/language/", {"language": "en", "next": "/admin/"})
    return browser
