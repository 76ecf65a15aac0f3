"""All clusters asked at once, each within bounds; one that is silent stops no other."""

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from queue import Empty, Queue
from time import monotonic

from cli.doctor.asking.access import Access
from cli.doctor.asking.api import Api, NoAnswerError
from cli.doctor.asking.careful import asked, version_in
from cli.doctor.asking.certificates import from_outside, from_secrets
from cli.doctor.asking.cilium import cilium
from cli.doctor.asking.dns import answers, core_dns
from cli.doctor.asking.inside import Inside, PodChannels
from cli.doctor.asking.objects import failed_jobs, load_balancers, nodes, releases
from cli.doctor.facts import Cluster, Silent, Unanswered, Value
from cli.doctor.zones import exposed_zones
from mesh.workloads.pod import PART_OF

Say = Callable[[str, str], None]
"""Told what is being asked now, of which cluster."""
Enter = Callable[[Api], Inside]
CLUSTER_SECONDS = 120.0
_OF_WORKLOADS = f"app.kubernetes.io/part-of={PART_OF}"


def ask(
    accesses: Sequence[Access],
    planned: Mapping[str, Iterable[str]],
    say: Say,
    enter: Enter = PodChannels,
) -> list[Cluster | Silent]:
    """What was seen of each cluster, in their order; `planned` has zones of silent ones.

    First everything but names; then each cluster is asked for the names of all.
    """
    found = _at_once(accesses, lambda one: _look(one, say, enter))
    zones = {zone for each in planned.values() for zone in each}
    for one in found:
        if isinstance(one, Cluster) and isinstance(one.dns.corefile, str):
            zones |= {*exposed_zones(one.dns.corefile)}
    there = {one.name: one for one in found if isinstance(one, Cluster)}
    reached = [one for one in accesses if one.cluster in there]
    named = _at_once(reached, lambda one: _names(one, there[one.cluster], zones, say, enter))
    by_name = {one.name: one for one in named}
    # One that falls silent between the two keeps what was seen of it.
    return [
        by_name[one.name] if isinstance(by_name.get(one.name), Cluster) else one for one in found
    ]


def _look(access: Access, say: Say, enter: Enter) -> Cluster | Silent:
    say(access.cluster, "API")
    outside = from_outside(access)
    api = Api(access)
    try:
        version = version_in(api.get("/version")["gitVersion"])
    except NoAnswerError as error:
        return Silent(
            name=access.cluster, server=access.server, why=str(error), certificates=outside
        )
    installed = asked(lambda: releases(api))
    say(access.cluster, "Cilium")
    seen = cilium(api, enter(api), installed)
    say(access.cluster, "certificates, addresses, CoreDNS")
    return Cluster(
        name=access.cluster,
        version=version,
        certificates=(*outside, *from_secrets(api)),
        nodes=asked(lambda: nodes(api)),
        cilium=seen,
        load_balancers=asked(lambda: load_balancers(api)),
        dns=core_dns(api),
        releases=installed,
        failed_jobs=asked(lambda: failed_jobs(api, _OF_WORKLOADS)),
    )


def _names(access: Access, seen: Cluster, zones: Iterable[str], say: Say, enter: Enter) -> Cluster:
    if isinstance(seen.dns.pods, Unanswered):
        return seen
    say(access.cluster, "names of all clusters")
    ready = [pod.name for pod in seen.dns.pods if pod.ready]
    told = answers(enter(Api(access)), ready, zones)
    return replace(seen, dns=replace(seen.dns, answers=told))


def _at_once(accesses: Sequence[Access], look: Callable[[Access], Value]) -> list[Value | Silent]:
    """What each look gives; a look that takes too long, or fails, is a silent cluster."""
    done: Queue[tuple[str, Value | Silent]] = Queue()
    for access in accesses:
        # Daemons, as a thread that hangs must not hold the command.
        run = threading.Thread(target=_one, args=(access, look, done), daemon=True)
        run.start()
    end, found = monotonic() + CLUSTER_SECONDS, dict[str, Value | Silent]()
    while len(found) < len(accesses):
        try:
            name, value = done.get(timeout=max(0.0, end - monotonic()))
        except Empty:
            break
        found[name] = value
    late = f"didn't answer everything in {CLUSTER_SECONDS:.0f} seconds"
    return [found.get(one.cluster) or _silent(one, late) for one in accesses]


def _one(
    access: Access, look: Callable[[Access], Value], done: Queue[tuple[str, Value | Silent]]
) -> None:
    given = asked(lambda: look(access))
    if isinstance(given, Unanswered):
        done.put((access.cluster, _silent(access, given.why)))
    else:
        done.put((access.cluster, given))


def _silent(access: Access, why: str) -> Silent:
    return Silent(name=access.cluster, server=access.server, why=why)
