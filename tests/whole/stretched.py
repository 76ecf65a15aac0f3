"""Workloads that are spread over the lab's clusters: what is done to any of them."""

import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from lab import kubectl

CLUSTERS = ("east", "west")
_MEMBERS = "app.kubernetes.io/component=member"
_VERIFY = "app.kubernetes.io/component=verify"


@dataclass(frozen=True)
class Attempt:
    """One write: of what, when it was begun, and whether it was acknowledged."""

    key: str
    began: float
    acknowledged: bool


def add(clone: Path, settings: str) -> None:
    """Put a workload into Pulumi.yaml of the clone, behind those that are there."""
    file = clone / "Pulumi.yaml"
    text = file.read_text().rstrip("\n")
    if "\n  workloads:\n" not in text:
        text += "\n\n  workloads:\n    value:"
    file.write_text(f"{text}\n{settings}")


def verified(workload: str) -> bool:
    """Say whether in each cluster the Job has ended well that waits for all members."""
    return all(_verified(cluster, workload) for cluster in CLUSTERS)


def _verified(cluster: str, workload: str) -> bool:
    found = kubectl.get(cluster, "jobs", f"--namespace={workload}", f"--selector={_VERIFY}")
    return any(job["status"].get("succeeded") for job in found["items"])


def volumes(workload: str) -> dict[str, str]:
    """Return the StorageClass of each member's volume, by cluster and member."""
    return {
        f"{cluster} {claim['metadata']['name']}": claim["spec"]["storageClassName"]
        for cluster in CLUSTERS
        for claim in kubectl.get(cluster, "persistentvolumeclaims", f"--namespace={workload}")[
            "items"
        ]
    }


def kill(cluster: str, workload: str, pod: str) -> None:
    """End a member's pod as a node does that loses its current."""
    how = ("--force", "--grace-period=0", "--wait=false")
    kubectl.run(cluster, "delete", "pod", pod, f"--namespace={workload}", *how)


def scale(cluster: str, workload: str, replicas: int) -> None:
    """Change the number of a region's members, as an administrator does, and wait for it."""
    where, named = f"--namespace={workload}", f"statefulset/{workload}"
    kubectl.run(cluster, "scale", named, where, f"--replicas={replicas}")
    if replicas:
        kubectl.run(cluster, "rollout", "status", named, where, "--timeout=150s", seconds=160)
    else:
        gone = ("--for=delete", "--timeout=120s", f"--selector={_MEMBERS}")
        kubectl.run(cluster, "wait", "pods", where, *gone, seconds=130)


def write_on_both_sides(
    east: Callable[[str], bool], west: Callable[[str], bool], seconds: float
) -> tuple[list[Attempt], list[Attempt]]:
    """Write in both clusters at the same time for that long, one key after the other."""
    ends = time.monotonic() + seconds
    with ThreadPoolExecutor(2) as sides:
        writing = [
            sides.submit(partial(_write_until, ends, write, f"cut/{cluster}/"))
            for cluster, write in zip(CLUSTERS, (east, west), strict=True)
        ]
        return writing[0].result(), writing[1].result()


def _write_until(ends: float, write: Callable[[str], bool], prefix: str) -> list[Attempt]:
    attempts: list[Attempt] = []
    while time.monotonic() < ends:
        key, began = f"{prefix}{len(attempts):04}", time.monotonic()
        attempts.append(Attempt(key, began, write(key)))
    return attempts


def acknowledged(attempts: Iterable[Attempt]) -> set[str]:
    """Return the keys whose writing was acknowledged."""
    return {each.key for each in attempts if each.acknowledged}


def judge_a_cut(
    east: Sequence[Attempt], west: Sequence[Attempt], settled: float, kept: Sequence[set[str]]
) -> int:
    """Return how many writes were acknowledged while east had most members; fails if one is lost.

    From `settled` on, each write in east is acknowledged and each one in west refused. `kept` is
    what each of the three members has afterwards.
    """
    served = [each.acknowledged for each in east if each.began > settled]
    assert len(served) > 5
    assert all(served)
    refused = [each.acknowledged for each in west if each.began > settled]
    assert refused
    assert not any(refused)
    told = acknowledged([*east, *west])
    first, *others = kept
    assert told <= first
    assert others == [first, first]
    return len(told)
