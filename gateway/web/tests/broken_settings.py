"""The tests' settings with pages that go wrong, for a server of its own."""

from gateway.test_settings import *  # noqa: F403

ROOT_URLCONF = "gateway.web.tests.broken_urls"
