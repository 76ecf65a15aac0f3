"""What overlaps among many ranges, in the time it takes to sort them."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import islice

_MOST_TOLD = 3
"""Clashes of one range with earlier ones; a hundred copies of a file need no hundred lines each."""


@dataclass(frozen=True, eq=False)
class Claim:
    """The addresses from `first` to `last`, both included, and which key of which stack has them.

    Several stacks may hold one claim together, such as the network of their nodes.
    """

    kind: str
    first: int
    last: int
    shown: str
    holders: Mapping[str, str]
    """Keys by stack; never empty."""

    @property
    def holder(self) -> str:
        """The first stack that holds it."""
        return next(iter(self.holders))


@dataclass(frozen=True)
class Clash:
    """Two claims that overlap, and a holder of each: the same stack when it holds both."""

    one: Claim
    stack: str
    other: Claim
    other_stack: str

    def turned(self) -> "Clash":
        """The same, told from the other side."""
        return Clash(self.other, self.other_stack, self.one, self.stack)


def shared(claims: Iterable[Claim], *kinds: str) -> list[Claim]:
    """The claims, with equal ones of each of these kinds made into one of all their holders."""
    apart: list[Claim] = []
    together: dict[tuple[str, int, int, str], dict[str, str]] = {}
    for claim in claims:
        if claim.kind not in kinds:
            apart.append(claim)
            continue
        place = (claim.kind, claim.first, claim.last, claim.shown)
        holders = together.setdefault(place, {})
        for stack, key in claim.holders.items():
            holders.setdefault(stack, key)
    return apart + [Claim(*place, holders) for place, holders in together.items()]


def clashes(
    claims: Collection[Claim],
    apart: Iterable[tuple[str, str]],
    counts: Callable[[Clash], bool] = lambda _: True,
) -> Iterator[Clash]:
    """The overlaps of claims of kinds that must be apart, each once, in the order of addresses.

    A claim clashes with at most three earlier ones of each kind, so the time is that of sorting:
    n log n.
    """
    against: dict[str, set[str]] = {}
    for one, other in apart:
        against.setdefault(one, set()).add(other)
        against.setdefault(other, set()).add(one)
    still_open: dict[str, list[tuple[int, int, Claim]]] = {kind: [] for kind in against}
    for number, claim in enumerate(sorted(claims, key=lambda claim: (claim.first, -claim.last))):
        for kind in sorted(against[claim.kind]):
            heap = still_open[kind]
            while heap and heap[0][0] < claim.first:
                heappop(heap)
            found = (_clash(claim, earlier) for _, _, earlier in heap)
            yield from islice(filter(counts, found), _MOST_TOLD)
        heappush(still_open[claim.kind], (claim.last, number, claim))


def _clash(one: Claim, other: Claim) -> Clash:
    both = next((stack for stack in one.holders if stack in other.holders), None)
    if both is None:
        return Clash(one, one.holder, other, other.holder)
    return Clash(one, both, other, both)
