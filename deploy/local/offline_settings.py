"""The gateway's settings for commands that ask no server, such as `makemigrations --check` in `make lint`."""

from gateway.settings import *  # noqa: F403

DATABASES = {"default": {"ENGINE": "django.db.backends.dummy"}}
