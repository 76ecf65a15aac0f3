"""The clusters of a mesh by their stacks, and who dials whom."""

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from mesh.settings import Problem, Settings, file_of


@dataclass(frozen=True)
class Topology:
    """Every cluster whose file could be read, by stack name.

    A problem between two files is said of the file of `own`, the stack that is run, or else of
    the later one by name.
    """

    clusters: Mapping[str, Settings]
    own: str | None = None
    unread: frozenset[str] = frozenset()
    """Stacks that have a file too, which could not be read."""
    project: Path = Path()
    """Directory of the stack files, from which paths in them start."""

    def ordered(self) -> tuple[str, ...]:
        """Every stack with a cluster: `own` first, the others sorted."""
        return tuple(sorted(self.clusters, key=lambda stack: (stack != self.own, stack)))

    def peers_of(self, stack: str) -> tuple[str, ...]:
        """The stacks a cluster dials, each with a cluster here, sorted."""
        named = self.clusters[stack].peers
        wanted = self.clusters if named is None else set(named)
        return tuple(sorted(peer for peer in wanted if peer in self.clusters and peer != stack))

    def pairs(self) -> Iterator[tuple[str, str]]:
        """Every (dialling, dialled) pair of stacks, sorted."""
        for stack in sorted(self.clusters):
            yield from ((stack, peer) for peer in self.peers_of(stack))

    def blamed(self, one: str, other: str) -> tuple[str, str]:
        """Two stacks that clash, the one first whose file a problem names."""
        later, earlier = max(one, other), min(one, other)
        return (earlier, later) if earlier == self.own else (later, earlier)

    def equal(self, values: Mapping[str, Hashable]) -> Iterator[tuple[str, str]]:
        """Each stack that has the value of one before it, and that one; the blamed one first."""
        first: dict[Hashable, str] = {}
        for stack in self.ordered():
            if stack in values and first.setdefault(values[stack], stack) != stack:
                yield self.blamed(stack, first[values[stack]])


def problem(stack: str, key: str, value: object, reason: str, instead: str) -> Problem:
    """A problem of a stack's file."""
    return Problem(file_of(stack), key, value, reason, instead)
