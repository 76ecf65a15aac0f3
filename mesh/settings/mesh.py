"""What all clusters of the mesh have in common."""

from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from mesh.settings.base import InnerNetwork, Model, Text, refused

_PROTOCOL_PORTS = {"geneve": 6081, "vxlan": 8472}
_SMALLEST_MTU, _LARGEST_MTU = 1280, 9216


def node_mtu(value: int) -> int:
    """0, or a size an Ethernet of nodes can have."""
    if value and not _SMALLEST_MTU <= value <= _LARGEST_MTU:
        reason = "is too small" if value < _SMALLEST_MTU else "is too large"
        raise refused(reason, f"write {_SMALLEST_MTU} to {_LARGEST_MTU}, or 0 to let Cilium see")
    return value


class MeshSettings(Model):
    """The facts that must be equal in every cluster; they stand in Pulumi.yaml only."""

    authority: Text = Field(examples=["east"])
    """Stack that makes the certificate authority of the mesh; it goes up first."""
    max_connected_clusters: Literal[255, 511] = 255
    """Most clusters the mesh can hold; changing it later means building every cluster anew."""
    routing_mode: Literal["tunnel", "native"] = "tunnel"
    """How pod traffic crosses between nodes: in a tunnel, or routed by the site's own network."""
    tunnel_protocol: Literal["geneve", "vxlan"] = "geneve"
    """What the tunnel is made of; not with native routing."""
    tunnel_port: int = Field(default=0, ge=0, le=65535)
    """UDP port of the tunnel; 0 is the protocol's own, 6081 or 8472. Not with native routing."""
    native_routing_cidr: InnerNetwork | None = Field(default=None, examples=["10.96.0.0/11"])
    """Range whose addresses the site's network routes; it holds every `podCidr` of the mesh.

    With native routing only, and needed there.
    """
    auto_direct_node_routes: bool = False
    """Nodes in one subnet route to each other's pods themselves; with native routing only."""
    encryption: Literal["none", "wireguard"] = "none"
    """Whether pod traffic between nodes is encrypted, inside a cluster and between clusters."""
    mtu: Annotated[int, AfterValidator(node_mtu)] = 0
    """Bytes of the nodes' network on the way to every other node, 1280 to 9216; 0 is what the
    nodes' own interfaces have."""

    @property
    def tunnel_port_in_use(self) -> int | None:
        """The port the tunnel really takes; None with native routing."""
        if self.routing_mode == "native":
            return None
        return self.tunnel_port or _PROTOCOL_PORTS[self.tunnel_protocol]
