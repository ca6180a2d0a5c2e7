#!/bin/sh
# Pins the images of docker-compose.yml and the Dockerfile by digest: asks the registry what the tags mean today and writes
# the answers into .env, which Compose reads. Run it after changing a tag, look at the difference, and keep .env with care.
#
#   deploy/compose/pin.sh
#
# It needs Docker with buildx, and a network.

set -eu
cd "$(dirname "$0")/../.."
env_file=${ENV_FILE:-.env}
touch "$env_file"

# Every ${NAME_IMAGE:-repository:tag} of the compose file, once.
grep -oE '\$\{[A-Z]+_IMAGE:-[^}]+\}' docker-compose.yml | sort -u | tr -d '${}' | sed 's/:-/ /' |
while read -r name tag; do
    digest=$(docker buildx imagetools inspect "$tag" --format '{{.Manifest.Digest}}')
    case $digest in
        sha256:*) ;;
        *) echo "no digest for $tag: $digest" >&2; exit 1 ;;
    esac
    kept=$(grep -v "^$name=" "$env_file" || true)
    printf '%s\n%s\n' "$kept" "$name=$tag@$digest" | sed '/^$/d' > "$env_file.new"
    cat "$env_file.new" > "$env_file"
    rm "$env_file.new"
    echo "$name=$tag@$digest"
done
