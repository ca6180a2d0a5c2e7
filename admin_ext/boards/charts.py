"""Data for Unfold's charts, which draw them with the Chart.js that they bring."""

import json
from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import Any

# By Unfold's names, which its script asks the page for; both are seen on the light and on the dark ground.
MAIN = "var(--color-primary-500)"
OTHER = "var(--color-base-400)"
# As many as a phone has place for.
MOST_TICKS = 8


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
    drawn = [{**dataset, "displayYAxis": True, "maxTicksXLimit": MOST_TICKS} for dataset in datasets]
    return json.dumps({"labels": labels, "datasets": drawn}, ensure_ascii=False)


def _numbers(values: Sequence[Any]) -> list[Any]:
    return [float(value) if isinstance(value, Decimal) else value for value in values]
