"""The tests' settings with a beat that turns discounts every half second, for workers of its own."""

from gateway.test_settings import *  # noqa: F403

CELERY_BEAT_SCHEDULE = {"turn-discounts": {"task": "catalog.tasks.turn_discounts", "schedule": 0.5}}
