"""Room that nobody in the mesh has taken: numbers, ranges, blocks of addresses."""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from ipaddress import IPv4Network
from itertools import chain

Interval = tuple[int, int]
"""First and last address, as numbers."""

_PRIVATE = tuple(
    map(IPv4Network, ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10"))
)


class Taken:
    """Addresses that somebody has."""

    def __init__(self, intervals: Iterable[Interval]) -> None:
        self._merged: list[Interval] = []
        for first, last in sorted(intervals):
            if self._merged and first <= self._merged[-1][1]:
                first, last = self._merged[-1][0], max(last, self._merged[-1][1])
                self._merged.pop()
            self._merged.append((first, last))

    def meets(self, interval: Interval) -> bool:
        """Whether one address of the interval is taken."""
        place = bisect_right(self._merged, (interval[1], interval[1]))
        before = self._merged[max(0, place - 1) : place + 1]
        return any(first <= interval[1] and interval[0] <= last for first, last in before)


def interval(network: IPv4Network) -> Interval:
    """A network's first and last address."""
    return int(network[0]), int(network[-1])


def free_number(taken: Iterable[int], most: int) -> int | None:
    """The number after the highest, or the lowest free one; None when all are taken."""
    numbers = {*taken}
    following = max(numbers, default=0) + 1
    if following <= most:
        return following
    return next((one for one in range(1, most + 1) if one not in numbers), None)


def free_network(like: IPv4Network, taken: Taken, within: IPv4Network) -> IPv4Network | None:
    """A network as large as another, after it if there is room, else before it."""
    size, (lowest, highest) = like.num_addresses, interval(within)
    start = int(like.network_address)
    after = range(start + size, highest - size + 2, size)
    before = range(lowest, start, size)
    for first in chain(after, before):
        if not taken.meets((first, first + size - 1)):
            return IPv4Network((first, like.prefixlen))
    return None


def free_shift(
    block: Sequence[Interval], taken: Taken, within: IPv4Network, stride: int
) -> int | None:
    """How far to move a block of addresses until it meets nobody's: by strides, then by ones.

    The first and the last address of `within` are nobody's. None when there is no room.
    """
    low, high = min(first for first, _ in block), max(last for _, last in block)
    lowest, highest = int(within[0]) + 1, int(within[-1]) - 1
    up, down = highest - high, low - lowest
    shifts = (range(stride, up + 1, stride), range(1, up + 1), range(-1, -down - 1, -1))
    for shift in chain(*shifts):
        if not any(taken.meets((first + shift, last + shift)) for first, last in block):
            return shift
    return None


def surroundings(network: IPv4Network) -> IPv4Network:
    """The private range a network lies in; of a public one, what its company may own."""
    private = (one for one in _PRIVATE if network.subnet_of(one))
    return next(private, network.supernet(new_prefix=min(8, network.prefixlen)))
