"""The member list of a workload that is spread over clusters: the same text in every one."""

from collections.abc import Mapping
from dataclasses import dataclass

from mesh.topology import Topology


@dataclass(frozen=True, kw_only=True)
class SpreadWorkload:
    """A StatefulSet of the same name in several clusters, and its headless Service."""

    name: str
    """Name of the StatefulSet, which its pods have with a number behind it."""
    service: str
    namespace: str
    replicas: Mapping[str, int]
    """Pods in each cluster, by stack name; a cluster that isn't named has none."""


def members(topology: Topology, workload: SpreadWorkload) -> tuple[str, ...]:
    """The name of every pod, resolvable in all clusters, in the order of cluster ids and pods.

    That order is the same whichever stack is run. A member keeps its name for ever, and not its
    place: more pods in one cluster move those of later ones. Raises ValueError for a stack that
    has no cluster.
    """
    unknown = sorted(set(workload.replicas) - set(topology.clusters))
    if unknown:
        known = ", ".join(sorted(topology.clusters))
        raise ValueError(f"no cluster {', '.join(unknown)}: write some of {known}")
    clusters = {stack: topology.clusters[stack].cluster for stack in workload.replicas}
    ordered = sorted(clusters.items(), key=lambda item: item[1].id)
    return tuple(
        f"{workload.name}-{number}.{workload.service}.{workload.namespace}.{cluster.zone}"
        for stack, cluster in ordered
        for number in range(workload.replicas[stack])
    )
