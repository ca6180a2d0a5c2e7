"""The settings of the tests with the passwords of production."""

from gateway import settings
from gateway.test_settings import *  # noqa: F403

PASSWORD_HASHERS = settings.PASSWORD_HASHERS
