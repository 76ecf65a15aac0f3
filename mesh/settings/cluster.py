"""Who a cluster is in the mesh, and how it names and dresses itself."""

import re
from typing import Annotated, Any

from pydantic import AfterValidator, Field

from mesh.settings.base import DnsZone, Model, matching, refused

_CLUSTER_NAME = re.compile(r"([a-z0-9][-a-z0-9]*)?[a-z0-9]")


def cluster_name(value: str) -> str:
    """A name Cilium accepts: 1 to 32 of a-z, 0-9 and -, no - at the ends, not `default`."""
    if value == "default":
        raise refused("is the name Cilium keeps for a cluster alone", "write one like east")
    if len(value) > 32:
        raise refused(f"is {len(value)} characters long", "write at most 32")
    if not _CLUSTER_NAME.fullmatch(value):
        raise refused("is not a cluster name", "write a-z, 0-9 and -, with no - at the ends")
    return value


ClusterName = Annotated[
    str,
    AfterValidator(cluster_name),
    matching(rf"(?!default$)(?=.{{1,32}}$){_CLUSTER_NAME.pattern}"),
]


class ClusterSettings(Model):
    """The identity of one cluster; peers read all of it."""

    name: ClusterName = Field(examples=["east"])
    """Name of the cluster in the mesh and first part of every VM's name."""
    id: int = Field(ge=1, le=511, examples=[1])
    """Number of the cluster, its own in the whole mesh: 1 to `mesh.maxConnectedClusters`."""
    zone: DnsZone = Field(examples=["east.mesh.example"])
    """DNS zone under which peers find this cluster's Services and pods; not in `.local`."""


class CiliumSettings(Model):
    """What goes to the Cilium chart beside the values this program computes."""

    extra_values: dict[str, Any] = Field(default_factory=dict)
    """Values of the Cilium chart, merged last over the computed ones; none that peers rely on."""
