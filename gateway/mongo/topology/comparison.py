"""Comparing declarations with what was found, which makes steps and drifts. Nothing here asks a server."""

from collections.abc import Iterator, Mapping

from gateway.mongo.collections import Collection, Index, Keys
from gateway.mongo.topology import indexes
from gateway.mongo.topology.cluster import Cluster, FoundCollection, ZoneRange
from gateway.mongo.topology.keys import bound, precedes
from gateway.mongo.topology.plans import TopologyDrift, TopologyPlan, TopologyStep
from gateway.mongo.topology.shell import shell
from gateway.mongo.topology.spread import spread


def compare(database: str, declarations: Mapping[str, Collection], cluster: Cluster) -> TopologyPlan:
    differences = [
        difference
        for name, declaration in declarations.items()
        for difference in _differences(f"{database}.{name}", name, declaration, cluster)
    ]
    return TopologyPlan(
        server=cluster.server,
        unsharded=() if cluster.sharded else tuple(name for name, d in declarations.items() if d.shard_key),
        steps=tuple(difference for difference in differences if isinstance(difference, TopologyStep)),
        drifts=tuple(difference for difference in differences if isinstance(difference, TopologyDrift)),
    )


def _differences(
    namespace: str, name: str, declaration: Collection, cluster: Cluster
) -> Iterator[TopologyStep | TopologyDrift]:
    """Steps in the order in which they must be done, zones before sharding, so that the first chunks fall into them."""
    found = cluster.collections[name]
    if not found.exists:
        yield TopologyStep(name, "create the collection", {"create": name})
    yield from _indexes(name, declaration, found, cluster)
    if not cluster.sharded:
        return
    if drift := _sharding_drift(namespace, name, declaration, found):
        yield drift
    elif declaration.shard_key:
        yield from _zones(namespace, name, declaration, found, cluster)
        if found.shard_key is None:
            command = {"shardCollection": namespace, "key": dict(declaration.shard_key)}
            yield TopologyStep(name, f"shard by {shell(declaration.shard_key)}", command, on_admin=True)
        yield from spread(name, namespace, declaration, found, cluster)


def _indexes(
    name: str, declaration: Collection, found: FoundCollection, cluster: Cluster
) -> Iterator[TopologyStep | TopologyDrift]:
    if found.shard_key and not _same(declaration.shard_key, found.shard_key):
        # Each key has its own index, and one may be there already for a resharding to come.
        wanted, keys = declaration.indexes, [key for key in (found.shard_key, declaration.shard_key) if key]
        comparison = indexes.compare(wanted, found.indexes, tolerated=[Index(key) for key in keys])
    else:
        comparison = indexes.compare(declaration.required_indexes, found.indexes)
    if comparison.missing:
        command = {"createIndexes": name, "indexes": [indexes.specification(index) for index in comparison.missing]}
        if not cluster.standalone:
            # The default waits for every voting member: with one of them down the build would never end.
            command["commitQuorum"] = "majority"
        names = ", ".join(index.name for index in comparison.missing)
        yield TopologyStep(name, f"build {'index' if len(comparison.missing) == 1 else 'indexes'} {names}", command)
    for drift in comparison.drifts:
        yield TopologyDrift(
            name,
            f"index {drift.found.name}",
            declared=indexes.described(indexes.specification(drift.declared)) if drift.declared else "no such index",
            found=indexes.described(drift.found.spec),
            cure=indexes.cure(name, drift),
        )


def _sharding_drift(namespace: str, name: str, declaration: Collection, found: FoundCollection) -> TopologyDrift | None:
    declared, key = declaration.shard_key, found.shard_key
    if declared is None and key is None:
        return None
    if declared is None:
        cure = f"declare the key, or {_admin({'unshardCollection': namespace})}"
    elif key is None:
        if found.empty:
            return None
        cure = f"{_admin({'shardCollection': namespace, 'key': dict(declared)})}; the balancer then moves documents"
    elif not _same(declared, key):
        cure = _admin({"reshardCollection": namespace, "key": dict(declared)})
    else:
        return None
    return TopologyDrift(
        name,
        "shard key",
        declared=shell(declared) if declared else "unsharded",
        found=shell(key) if key else "unsharded, with documents in it",
        cure=cure,
    )


def _zones(
    namespace: str, name: str, declaration: Collection, found: FoundCollection, cluster: Cluster
) -> Iterator[TopologyStep | TopologyDrift]:
    key = declaration.shard_key or {}
    wanted = [ZoneRange(zone.name, bound(key, zone.lower), bound(key, zone.upper)) for zone in declaration.zones]
    strays = [zone for zone in found.zones if zone not in wanted]
    for zone in wanted:
        if zone in found.zones:
            continue
        rivals = [stray for stray in strays if stray.zone == zone.zone or _overlap(stray, zone)]
        if rivals:
            yield from (_zone_drift(namespace, name, rival, zone) for rival in rivals)
            strays = [stray for stray in strays if stray not in rivals]
            continue
        if zone.zone not in cluster.carriers:
            for shard in cluster.shards:
                carry = {"addShardToZone": shard, "zone": zone.zone}
                yield TopologyStep(name, f"let {shard} carry zone {zone.zone}", carry, on_admin=True)
        command = {"updateZoneKeyRange": namespace, "min": zone.lower, "max": zone.upper, "zone": zone.zone}
        yield TopologyStep(name, f"give {_range(zone)} to zone {zone.zone}", command, on_admin=True)
    yield from (_zone_drift(namespace, name, stray, None) for stray in strays)


def _zone_drift(namespace: str, name: str, found: ZoneRange, declared: ZoneRange | None) -> TopologyDrift:
    remove = _admin({"updateZoneKeyRange": namespace, "min": found.lower, "max": found.upper, "zone": None})
    return TopologyDrift(
        name,
        f"zone {found.zone}",
        declared=f"{_range(declared)} in {declared.zone}" if declared else "no such range",
        found=f"{_range(found)} in {found.zone}",
        cure=f"{remove}, then manage.py topology apply" if declared else f"declare it, or {remove}",
    )


def _same(left: Keys | None, right: Keys | None) -> bool:
    """Whether two keys are the same, in the same order: Python ignores the order of a mapping, MongoDB does not."""
    return list((left or {}).items()) == list((right or {}).items())


def _overlap(left: ZoneRange, right: ZoneRange) -> bool:
    return precedes(left.lower, right.upper) and precedes(right.lower, left.upper)


def _range(zone: ZoneRange) -> str:
    return f"{shell(zone.lower)} … {shell(zone.upper)}"


def _admin(command: Mapping[str, object]) -> str:
    return f"db.adminCommand({shell(command)})"
