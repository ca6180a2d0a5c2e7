"""Times of staff are the shop's; what is stored, counted by days and scheduled stays in UTC."""

import os
import subprocess
import sys
from datetime import UTC, datetime

from django.conf import settings
from pymongo.database import Database

from admin_ext.tests.people import in_english, member
from gateway.accounts.roles import SUPPORT
from gateway.celery import app
from gateway.mongo.client import Document

# 03:30 in Moscow of the next day.
EVENING = datetime(2026, 3, 1, 22, 30, tzinfo=UTC)


def test_pages_show_the_time_of_the_shop_and_its_zone(database: Database[Document]) -> None:
    who = {"actor": "a@example.com", "actor_id": "1", "source": "admin", "step": "1"}
    what = {"action": "geozone.added", "target": "geozone:msk", "changes": {}, "reason": ""}
    database["audit"].insert_one({"at": EVENING, **who, **what})
    browser = member(SUPPORT)

    page = browser.get("/admin/audit/auditentry/").content.decode()

    assert "02.03.2026 01:30:00 МСК" in page
    assert "Время: МСК" in page
    assert "Times: MSK" in in_english(browser).get("/admin/audit/auditentry/").content.decode()


def test_storage_is_utc(database: Database[Document]) -> None:
    database["audit"].insert_one({"at": EVENING})

    assert database["audit"].find_one({}, {"_id": 0, "at": 1}) == {"at": EVENING.replace(tzinfo=None)}


def test_schedule_is_utc() -> None:
    assert settings.TIME_ZONE == "Europe/Moscow"
    assert str(app.timezone) == "UTC"
    assert str(app.conf.beat_schedule["archive-orders"]["schedule"].tz) == "UTC"


def started_with(zone: str) -> subprocess.CompletedProcess[str]:
    say = "from django.conf import settings; print(settings.TIME_ZONE)"
    environment = {**os.environ, "TIME_ZONE": zone, "DJANGO_SETTINGS_MODULE": "gateway.settings"}
    return subprocess.run(
        [sys.executable, "-c", say], env=environment, capture_output=True, text=True, check=False, timeout=60
    )


def test_zone_is_a_setting() -> None:
    assert started_with("Asia/Yekaterinburg").stdout == "Asia/Yekaterinburg\n"


def test_zone_that_there_is_none_of_is_refused_at_the_start() -> None:
    started = started_with("Europe/Moskva")

    assert started.returncode != 0
    assert "no time zone of the tz database: Europe/Moskva" in started.stderr
