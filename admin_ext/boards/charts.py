"""Data for Unfold's charts, which draw them with the Chart.js that they bring."""

import json
from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import Any

from gateway.domain.texts import Language
from gateway.staff.language import staff_language

# By Unfold's names, which its script asks the page for; both are seen on the light and on the dark ground.
MAIN = "var(--color-primary-500)"
OTHER = "var(--color-base-400)"
TEXT = "#9ca3af"
# As many as a phone has place for.
MOST_TICKS = 8
LOCALES: Mapping[Language, str] = {"ru": "ru-RU", "en": "en-US"}


def options() -> str:
    """In place of Unfold's, whose axes have «8000000» and whose bars have no ends. Its script colours the grid."""
    scale = {
        "border": {"display": False},
        "ticks": {"color": TEXT, "maxTicksLimit": MOST_TICKS, "maxRotation": 0, "precision": 0},
    }
    drawn = {
        "animation": False,
        "datasets": {"bar": {"borderRadius": 4}, "line": {"borderWidth": 2, "pointRadius": 0}},
        "interaction": {"intersect": False, "mode": "index"},
        "locale": LOCALES[staff_language()],
        "maintainAspectRatio": False,
        "plugins": {"legend": {"display": False}},
        "responsive": True,
        "scales": {"x": {**scale, "grid": {"display": False}}, "y": {**scale, "beginAtZero": True, "grid": {}}},
    }
    return json.dumps(drawn)


def bars(labels: Sequence[str], title: str, values: Sequence[Decimal | int]) -> str:
    return _data(labels, [{"label": title, "data": _numbers(values), "backgroundColor": MAIN, "maxBarThickness": 24}])


def lines(labels: Sequence[str], main: tuple[str, Sequence[Any]], other: tuple[str, Sequence[Any]]) -> str:
    """Two lines: what is looked at, and what it is compared with."""
    datasets = [
        {"label": title, "data": _numbers(values), "borderColor": colour}
        for (title, values), colour in ((main, MAIN), (other, OTHER))
    ]
    return _data(labels, datasets)


def day_label(day: date) -> str:
    return f"{day:%d.%m}"


def _data(labels: Sequence[str], datasets: Sequence[Mapping[str, Any]]) -> str:
    return json.dumps({"labels": labels, "datasets": datasets}, ensure_ascii=False)


def _numbers(values: Sequence[Any]) -> list[Any]:
    return [float(value) if isinstance(value, Decimal) else value for value in values]
