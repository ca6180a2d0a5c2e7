"""The frame of the Mobile World gateway."""

from gateway.celery import app as celery_app
from gateway.startup import forgo_gdal

__all__ = ["celery_app"]

forgo_gdal()
