"""Benchmarks, each in a database and keyspaces of its own. Importing the package loads the apps for them."""

import os

import django

os.environ["DJANGO_SETTINGS_MODULE"] = "gateway.settings"
os.environ["MONGODB_DATABASE"] = f"{os.environ.get('MONGODB_DATABASE', 'mobile_world')}_bench"
os.environ["CASSANDRA_KEYSPACE_PREFIX"] = f"{os.environ.get('CASSANDRA_KEYSPACE_PREFIX', 'mobile_world')}_bench"

django.setup()
