"""Nothing that staff can do is left out of the audit: every action is done somewhere, to an object with a page."""

import ast
from collections.abc import Iterator
from pathlib import Path

from django.conf import settings
from django.contrib import admin

from gateway.audit.labels import KINDS
from gateway.audit.trail import Action

ROOMS = ("gateway", "catalog", "cart", "ordering", "admin_ext")
# Where actions are declared and named, not done.
DECLARED = {"gateway/audit/trail.py", "gateway/audit/labels.py"}


def product_code() -> Iterator[tuple[str, ast.Module]]:
    base = Path(settings.BASE_DIR)
    for room in ROOMS:
        for file in sorted((base / room).rglob("*.py")):
            path = file.relative_to(base).as_posix()
            if "/tests/" not in path and path not in DECLARED:
                yield path, ast.parse(file.read_text(encoding="utf-8"))


def actions_named(module: ast.Module) -> set[str]:
    return {
        node.attr
        for node in ast.walk(module)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "Action"
    }


def targets_named(module: ast.Module) -> set[str]:
    """The kinds in texts such as f"product:{…}"."""
    return {
        first.value.removesuffix(":")
        for node in ast.walk(module)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "record"
        for argument in node.args
        if isinstance(argument, ast.JoinedStr)
        for first in argument.values[:1]
        if isinstance(first, ast.Constant) and isinstance(first.value, str)
    }


def test_every_action_is_done_somewhere() -> None:
    done = set[str]().union(*(actions_named(module) for _, module in product_code()))

    assert {action.name for action in Action} - done == set()


def test_every_kind_of_object_that_is_recorded_has_a_name() -> None:
    recorded = set[str]().union(*(targets_named(module) for _, module in product_code()))

    assert recorded - set(KINDS) == set()
    assert {"product", "category", "geozone"} <= recorded


def test_every_kind_of_object_has_its_page() -> None:
    pages = {f"{model._meta.app_label}_{model._meta.model_name}" for model in admin.site._registry}

    assert {kind.page for kind in KINDS.values()} - pages == set()
