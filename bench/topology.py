"""How long the rules between all clusters take: `python -m bench.topology`."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from statistics import median
from time import perf_counter

from bench import naive_overlaps
from mesh.topology import Topology, addresses, problems, ranges
from mesh.topology.sweep import clashes
from tests.mesh.topology import generated
from tests.mesh.topology.generated import Shape

CLUSTERS = (2, 32, 128, 511)
RUNS = 7
HEAD = (
    "| clusters | min | median | max | all pairs, median | all pairs : sweep |\n"
    "|---:|---:|---:|---:|---:|---:|\n"
)


def main() -> None:
    """Print the table of README.md; the sweep and its rival take turns."""
    sys.stdout.write(HEAD)
    for number in CLUSTERS:
        mesh = generated.topology(generated.configs(Shape(clusters=number)))
        sweeps, rivals = [], []
        for _ in range(RUNS):
            sweeps.append(_milliseconds(mesh))
            with _all_pairs():
                rivals.append(_milliseconds(mesh))
        sys.stdout.write(_row(number, sweeps, rivals))


def _milliseconds(mesh: Topology) -> float:
    start = perf_counter()
    found = problems(mesh)
    took = perf_counter() - start
    if found:
        raise AssertionError(f"a right mesh was refused: {found[0]}")
    return took * 1000


@contextmanager
def _all_pairs() -> Iterator[None]:
    _compare_by(naive_overlaps.clashes)
    try:
        yield
    finally:
        _compare_by(clashes)


def _compare_by(way: Callable[..., object]) -> None:
    for rules in (addresses, ranges):
        vars(rules)["clashes"] = way


def _row(number: int, sweeps: list[float], rivals: list[float]) -> str:
    own, rival = median(sweeps), median(rivals)
    fastest, slowest = min(sweeps), max(sweeps)
    figures = f"{fastest:.1f} ms | {own:.1f} ms | {slowest:.1f} ms | {rival:.1f} ms"
    return f"| {number} | {figures} | {rival / own:.1f} |\n"


if __name__ == "__main__":
    main()
