"""Benchmarks, each in a database and keyspaces of its own. Importing the package loads the apps for them."""

import os

import django

os.environ["DJANGO_SETTINGS_MODULE"] = "gateway.settings"
for name in ("MONGODB_DATABASE", "CASSANDRA_KEYSPACE_PREFIX"):
    # A process that a benchmark spawns imports this too, and has inherited the name.
    os.environ[name] = f"{os.environ.get(name, 'mobile_world').removesuffix('_bench')}_bench"

django.setup()
