"""The first split of a ranged collection: ranges laid out over the shards in turn, while it is empty.

Once it holds documents the balancer decides, and we never argue with it.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from bson import MinKey

from gateway.mongo.collections import Collection
from gateway.mongo.topology.cluster import Chunk, Cluster, FoundCollection, ZoneRange
from gateway.mongo.topology.keys import Bound, bound, precedes
from gateway.mongo.topology.plans import TopologyStep
from gateway.mongo.topology.shell import shell


def spread(
    name: str, namespace: str, declaration: Collection, found: FoundCollection, cluster: Cluster
) -> Iterator[TopologyStep]:
    """The splits and moves that are still missing; none when the declared ranges already live apart."""
    key = declaration.shard_key
    if not key or not declaration.split_at or not found.empty or len(cluster.shards) < 2:
        return
    zones = [ZoneRange(zone.name, bound(key, zone.lower), bound(key, zone.upper)) for zone in declaration.zones]
    lowest = dict.fromkeys(key, MinKey())
    starts = [lowest, *(bound(key, point) for point in declaration.split_at)]
    targets = [_target(start, turn, [*zones, *found.zones], cluster) for turn, start in enumerate(starts)]
    # Neighbours with one target stay one range: the server would merge them again some day.
    parted = [0] + [i for i in range(1, len(starts)) if targets[i] != targets[i - 1]]
    chunks = found.chunks
    if not chunks and cluster.primary and not zones and not found.zones:
        chunks = (Chunk(lowest, cluster.primary),)  # as shardCollection will leave it
    owners = [_owner(start, chunks) for start in starts]
    cut = [any(chunk.lower == start for chunk in chunks) for start in starts]
    if all(cut[i] for i in parted) and all(owners[i] != owners[j] for i, j in pairwise(parted)):
        return
    for i in parted[1:]:
        if not cut[i]:
            point = shell(declaration.split_at[i - 1])
            yield TopologyStep(name, f"split at {point}", {"split": namespace, "middle": starts[i]}, on_admin=True)
    for i in parted:
        if owners[i] != targets[i]:
            since = shell(declaration.split_at[i - 1]) if i else "the lowest key"
            move = {"moveRange": namespace, "min": starts[i], "toShard": targets[i]}
            yield TopologyStep(name, f"move the range from {since} to {targets[i]}", move, on_admin=True)


def _target(start: Bound, turn: int, zones: Sequence[ZoneRange], cluster: Cluster) -> str:
    """The shard for this range: shards take turns, in a zone only its carriers, or the balancer would undo the move."""
    carriers = next((cluster.carriers.get(z.zone) for z in zones if _within(start, z)), None)
    allowed = [shard for shard in cluster.shards if not carriers or shard in carriers] or cluster.shards
    return allowed[turn % len(allowed)]


def _within(place: Bound, zone: ZoneRange) -> bool:
    return not precedes(place, zone.lower) and precedes(place, zone.upper)


def _owner(place: Bound, chunks: Sequence[Chunk]) -> str | None:
    """The shard that holds this place now; None when that is not known before the collection is sharded."""
    return next((chunk.shard for chunk in reversed(chunks) if not precedes(place, chunk.lower)), None)
