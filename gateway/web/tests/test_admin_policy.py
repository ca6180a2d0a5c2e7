"""Every page of the admin works under its content security policy: scripts come from files only."""

import re

import pytest
from django.contrib import admin
from django.test import Client
from django.urls import reverse
from pymongo.database import Database
from pytest_django import Settings

from gateway.accounts.tests.demo import make_demo_accounts
from gateway.mongo.client import Document
from gateway.staff.tests.browser import signed_in
from gateway.web.transport import ADMIN_POLICY, admin_policy

SCRIPT = re.compile(r"<script\b([^>]*)>", re.IGNORECASE)
HANDLER = re.compile(r"<[a-z][^<>]*\son[a-z]+\s*=", re.IGNORECASE)
OUTSIDE = re.compile(r"""(?:src|href|action)=["']((?:https?:)?//[^"']+|javascript:[^"']*)""", re.IGNORECASE)


@pytest.fixture
def staff(database: Database[Document]) -> Client:
    make_demo_accounts()
    return signed_in("staff")


def pages() -> list[str]:
    """The list and the form of every model."""
    found = ["/admin/", "/admin/password_change/"]
    for model in admin.site._registry:
        name = f"admin:{model._meta.app_label}_{model._meta.model_name}"
        found += [reverse(f"{name}_changelist"), reverse(f"{name}_add")]
    return found


def inline_scripts(page: str) -> list[str]:
    return [tag for tag in SCRIPT.findall(page) if "src=" not in tag and "json" not in tag]


def test_no_page_has_a_script_within_it_or_anything_from_outside(staff: Client) -> None:
    looked_at = 0
    for path in [*pages(), "/admin/login/"]:
        page = staff.get(path).content.decode()
        looked_at += bool(page)
        assert (path, inline_scripts(page)) == (path, [])
        assert (path, HANDLER.findall(page)) == (path, [])
        assert (path, OUTSIDE.findall(page)) == (path, [])
    assert looked_at > len(pages()) // 2


def test_pictures_of_other_hosts_are_shown_only_if_they_are_named(settings: Settings) -> None:
    assert admin_policy() == ADMIN_POLICY
    assert "img-src 'self' data:;" in ADMIN_POLICY

    settings.ADMIN_IMAGE_HOSTS = ["https://img.example", "https://*.cdn.example"]

    assert "img-src 'self' data: https://img.example https://*.cdn.example;" in admin_policy()
