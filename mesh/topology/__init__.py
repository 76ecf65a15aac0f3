"""All clusters of the mesh together, and the rules between them."""

from mesh.topology.check import notices, problems
from mesh.topology.live import forbidden_changes
from mesh.topology.topology import Topology

__all__ = ["Topology", "forbidden_changes", "notices", "problems"]
