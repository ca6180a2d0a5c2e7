#!/bin/bash
# Starts mongod or mongos with the key by which the servers of the cluster know each other. They refuse a key that anybody
# else could read, so it is copied for the user that the image's own entry point changes to.
set -eu
install --mode 400 --owner mongodb --group mongodb /run/secrets/mongodb_key /tmp/mongodb.key
exec docker-entrypoint.sh "$@" --keyFile /tmp/mongodb.key
