#!/bin/sh
# Makes every secret that docker-compose.yml needs and that is not there yet; what is there is kept.
#
#   deploy/compose/secrets.sh     # then: docker compose up --build --detach
#
# .env                       passwords, read by Compose; yours alone (mode 600)
# deploy/compose/secrets/    files that servers read: MongoDB's key, Redis's users. The directory is yours alone; its
#                            files are readable, because the servers run as users of their own inside their containers.
#
# To change a password: delete its line in .env, run this again, and `docker compose up --detach --force-recreate`.
# Two cannot be changed like that: CASSANDRA_ADMIN_PASSWORD (change it with cqlsh, then here), and MongoDB's key, whose
# file is deleted with the whole shop stopped.

set -eu
cd "$(dirname "$0")/../.."
env_file=${ENV_FILE:-.env}
secrets=${SECRETS_DIR:-deploy/compose/secrets}

random() { head -c "$1" /dev/urandom | od -An -v -tx1 | tr -d ' \n'; }

ensure() {  # name, bytes: hexadecimal, so that it needs no escapes in an address
    grep -q "^$1=." "$env_file" || printf '%s=%s\n' "$1" "$(random "$2")" >> "$env_file"
}

umask 077
touch "$env_file"
chmod 600 "$env_file"
mkdir -p "$secrets"
chmod 700 "$secrets"

ensure SECRET_KEY 32
ensure PAYMENT_WEBHOOK_SECRETS 24
ensure MONGODB_PASSWORD 24
ensure MONGODB_TOPOLOGY_PASSWORD 24
ensure CASSANDRA_PASSWORD 24
ensure CASSANDRA_SCHEMA_PASSWORD 24
ensure CASSANDRA_ADMIN_PASSWORD 24
ensure REDIS_PASSWORD 24

umask 022
test -s "$secrets/mongodb.key" || random 256 > "$secrets/mongodb.key"

# Written anew each time: it holds nothing but what follows from .env. Without a password one may ask only whether Redis
# lives. The gateway may do everything but administer the server and look at others' connections.
password=$(sed -n 's/^REDIS_PASSWORD=//p' "$env_file" | tail -n 1)
hash=$(printf '%s' "$password" | sha256sum | cut -d ' ' -f 1)
{
    echo "user default on nopass resetkeys resetchannels -@all +ping"
    echo "user gateway on #$hash ~* &* +@all -@admin -@dangerous +info"
} > "$secrets/redis.acl"

echo "secrets are in $env_file and $secrets"
