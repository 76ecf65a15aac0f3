"""The rival of the sweep: every claim compared with every other one."""

from collections.abc import Callable, Collection, Iterable, Iterator
from itertools import combinations

from mesh.topology.sweep import Claim, Clash


def clashes(
    claims: Collection[Claim],
    apart: Iterable[tuple[str, str]],
    counts: Callable[[Clash], bool] = lambda _: True,
) -> Iterator[Clash]:
    """The overlaps of claims of kinds that must be apart, as `mesh.topology.sweep` finds them."""
    pairs = {frozenset(kinds) for kinds in apart}
    for other, one in combinations(claims, 2):
        if one.first <= other.last and other.first <= one.last:
            clash = Clash(one, one.holder, other, other.holder)
            if frozenset((one.kind, other.kind)) in pairs and counts(clash):
                yield clash
