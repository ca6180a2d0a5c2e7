"""The gateway's settings as the tests want them: guards on, cheap passwords, sample documents installed."""

from gateway.settings import *  # noqa: F403
from gateway.settings import CASSANDRA_KEYSPACE_PREFIX, INSTALLED_APPS

INSTALLED_APPS = [*INSTALLED_APPS, "gateway.tests.samples"]
MONGODB_GUARD_READS = True
CASSANDRA_KEYSPACE_PREFIX = f"test_{CASSANDRA_KEYSPACE_PREFIX}"
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
