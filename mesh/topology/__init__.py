"""All clusters of the mesh together, and the rules between them."""

from mesh.topology.topology import Topology

__all__ = ["Topology"]
