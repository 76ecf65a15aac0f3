"""What is answered over the link between the clusters, and how long that takes."""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial

from lab import kubectl
from tests.whole.figures import until
from tests.whole.names import BOTH_WAYS, dig, found, pod_name

COREDNS = ("pods", "--namespace=kube-system", "--selector=k8s-app=kube-dns")
# What a resolver waits for one answer; who waits longer asks a second time.
PATIENCE = 5
# More than `dns.cacheSeconds`.
_FRESH_SECONDS = 7


@dataclass(frozen=True)
class Answer:
    """Who asked, what was answered, and how long that took."""

    asking: str
    address: str | None
    took: float


def timed(asking: str, asks: Callable[[], str | None]) -> Answer:
    """Return what was answered, with the time it took."""
    began = time.monotonic()
    return Answer(asking, asks(), time.monotonic() - began)


def by_glibc() -> list[Answer]:
    """Ask for the other cluster's pod in each cluster, one after the other."""
    return [timed(asking, partial(found, asking, pod_name(asked))) for asking, asked in BOTH_WAYS]


def by_every_pod_of_coredns() -> list[Answer]:
    """Ask each CoreDNS pod of each cluster for the other's pod, all at once.

    Each remembers for itself what it was asked, and learns for itself that a peer is away.
    """
    patiently = ("+time=12", "+tries=1")
    questions = [
        (asking, partial(dig, asking, pod["status"]["podIP"], pod_name(asked), *patiently))
        for asking, asked in BOTH_WAYS
        for pod in kubectl.get(asking, *COREDNS)["items"]
    ]
    with ThreadPoolExecutor(len(questions)) as workers:
        return list(workers.map(lambda each: timed(*each), questions))


def by_everyone() -> list[Answer]:
    """Ask by glibc, then by every pod of CoreDNS."""
    return [*by_glibc(), *by_every_pod_of_coredns()]


def every_coredns_is_ready() -> bool:
    """Say whether both clusters have two CoreDNS pods that answer."""
    answers = by_every_pod_of_coredns()
    return len(answers) == 4 and all(answer.address for answer in answers)


def known_everywhere() -> dict[str, str | None]:
    """Return what each cluster knows of the other's pod, once all its CoreDNS pods know it."""
    until(every_coredns_is_ready, 120)
    return {answer.asking: answer.address for answer in by_glibc()}


def asked_over_a_cut(end: float, pause: float) -> tuple[list[Answer], list[Answer]]:
    """Return the first answers that aren't fresh any more, and all later ones until `end`.

    `end` is a time of the monotonic clock, `pause` the seconds between two rounds.
    """
    time.sleep(_FRESH_SECONDS)
    first, later = by_everyone(), list[Answer]()
    while time.monotonic() < end:
        later += by_everyone()
        time.sleep(pause)
    return first, later
