"""All clusters of the mesh together."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from mesh.settings import Settings


@dataclass(frozen=True)
class Topology:
    """Every cluster that has a stack file, by stack name; who dials whom follows from them."""

    clusters: Mapping[str, Settings]

    def peers_of(self, stack: str) -> tuple[str, ...]:
        """The stacks that a stack dials, sorted: its `peers`, or every other one.

        A name without a cluster is left out, and so is the stack's own.
        """
        named = self.clusters[stack].peers
        wanted = self.clusters if named is None else named
        return tuple(sorted({one for one in wanted if one in self.clusters} - {stack}))

    def pairs(self) -> Iterator[tuple[str, str]]:
        """Each stack that dials, with one that it dials."""
        for stack in sorted(self.clusters):
            for peer in self.peers_of(stack):
                yield stack, peer
