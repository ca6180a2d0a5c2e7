"""The gateway's settings as the tests want them: guards on, cheap passwords, sample documents installed."""

import os
import sys
from pathlib import Path

if os.environ.get("TEST_ROOT") != os.environ.get("TEST_ROOT_TAKEN"):
    # A lane of the whole suite, see deploy/local/lanes.py: its servers are not those of the environment it inherited.
    # Taken once: a process that a test starts may be given other servers.
    os.environ["TEST_ROOT_TAKEN"] = os.environ["TEST_ROOT"]
    addresses = (Path(os.environ["TEST_ROOT"]) / "run" / "stack.env").read_text(encoding="utf-8")
    os.environ.update({name: value for name, _, value in (line.partition("=") for line in addresses.splitlines())})

if sys.dont_write_bytecode:
    # Compiled anew in each of the hundred processes of a run, our modules are a third of what it takes to start.
    sys.pycache_prefix = str(Path(__file__).parents[1] / ".local" / "pycache")
    sys.dont_write_bytecode = False
    os.environ["PYTHONPYCACHEPREFIX"] = sys.pycache_prefix
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

from gateway.settings import *  # noqa: F403
from gateway.settings import BASE_DIR, CASSANDRA_KEYSPACE_PREFIX, INSTALLED_APPS

INSTALLED_APPS = [*INSTALLED_APPS, "gateway.tests.samples"]
MONGODB_GUARD_READS = True
# Never measured in most tests: they read what they have just written. Those of the lag measure it.
MONGODB_UNKNOWN_LAG_SECONDS = float("inf")
# Longer than the driver looks for a server: a loaded machine reads slowly, and Cassandra lacks the rows of most tests.
MONGODB_PATIENCE_SECONDS = float(os.environ.get("MONGODB_PATIENCE_SECONDS", "8"))
# Most tests read what they have just written; those of kept answers switch them on.
GRAPHQL_ANSWERS_BYTES = int(os.environ.get("GRAPHQL_ANSWERS_BYTES", "0"))
# Likewise of who is signed in.
SESSION_REMEMBERED_SECONDS = float(os.environ.get("SESSION_REMEMBERED_SECONDS", "0"))
CASSANDRA_KEYSPACE_PREFIX = f"test_{CASSANDRA_KEYSPACE_PREFIX}"
MEDIA_ROOT = Path(os.environ.get("TEST_ROOT", BASE_DIR / ".local" / "test")) / "data" / "media"
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
# Of this run and the processes it starts: a worker that a killed run left behind would take its tasks.
CELERY_TASK_DEFAULT_QUEUE = os.environ.setdefault("TEST_QUEUE", f"tests-{os.getpid()}-soon")
