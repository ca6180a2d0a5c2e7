"""Moments in the shop's time zone, which the text names."""

from datetime import UTC, datetime

import pytest
from django.utils import translation
from pytest_django import Settings

from gateway.staff.times import time_text

EVENING = datetime(2026, 11, 18, 22, 5, 9, tzinfo=UTC)


@pytest.mark.parametrize(
    ("zone", "russian", "english"),
    [
        ("Europe/Moscow", "19.11.2026 01:05 МСК", "19 Nov 2026, 01:05 MSK"),
        ("Asia/Novosibirsk", "19.11.2026 05:05 UTC+07", "19 Nov 2026, 05:05 UTC+07"),
        ("UTC", "18.11.2026 22:05 UTC", "18 Nov 2026, 22:05 UTC"),
    ],
)
def test_moment_is_told_in_the_shops_zone(settings: Settings, zone: str, russian: str, english: str) -> None:
    settings.TIME_ZONE = zone

    assert time_text(EVENING) == russian
    with translation.override("en"):
        assert time_text(EVENING) == english


def test_moment_without_a_zone_is_that_of_a_document(settings: Settings) -> None:
    settings.TIME_ZONE = "Europe/Moscow"

    assert time_text(EVENING.replace(tzinfo=None), seconds=True) == "19.11.2026 01:05:09 МСК"
