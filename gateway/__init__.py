"""The frame of the Mobile World gateway."""

from gateway.celery import app as celery_app

__all__ = ["celery_app"]
