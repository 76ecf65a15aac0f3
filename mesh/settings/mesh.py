"""What all clusters of the mesh have in common."""

from typing import Literal

from pydantic import Field

from mesh.settings.base import Model, Text

_PROTOCOL_PORTS = {"geneve": 6081, "vxlan": 8472}


class MeshSettings(Model):
    """The facts that must be equal in every cluster; they stand in Pulumi.yaml only."""

    authority: Text = Field(examples=["east"])
    """Stack that makes the certificate authority of the mesh; it goes up first."""
    max_connected_clusters: Literal[255, 511] = 255
    """Most clusters the mesh can hold; changing it later means building every cluster anew."""
    tunnel_protocol: Literal["geneve", "vxlan"] = "geneve"
    """How Cilium carries pod traffic between nodes."""
    tunnel_port: int = Field(default=0, ge=0, le=65535)
    """UDP port of the tunnel; 0 is the protocol's own, 6081 or 8472."""

    @property
    def tunnel_port_in_use(self) -> int:
        """The port the tunnel really takes."""
        return self.tunnel_port or _PROTOCOL_PORTS[self.tunnel_protocol]
