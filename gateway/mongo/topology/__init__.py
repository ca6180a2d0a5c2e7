"""Makes the cluster what the models declare: collections, indexes, shard keys, zones and the first split.

`plan` only looks; `apply` does what the plan says, step by step. Every step is one MongoDB command that changes nothing
when repeated: a second run, two runs at once and a run after a crash all end in the same state.
"""

from gateway.mongo.topology.apply import apply, plan
from gateway.mongo.topology.errors import TopologyError
from gateway.mongo.topology.plans import TopologyDrift, TopologyPlan, TopologyStep
from gateway.mongo.topology.validity import impossible

__all__ = ["TopologyDrift", "TopologyError", "TopologyPlan", "TopologyStep", "apply", "impossible", "plan"]
