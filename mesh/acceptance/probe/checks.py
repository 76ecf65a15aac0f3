"""Everything that is asked of one cluster, and of all of them together."""

import http.client
import re
import time
from collections.abc import Iterable, Iterator

from mesh.acceptance.probe.names import look_up, name_row
from mesh.acceptance.probe.plan import GLOBAL, PASSED, Neighbour, Plan, Row, marked
from mesh.acceptance.probe.questions import ask
from mesh.acceptance.probe.traffic import (
    Identity,
    Traffic,
    datagram,
    is_answered_by,
    payload_back,
    payload_out,
    who_answers,
)

SKIPPED = "skipped"
_METRICS = "clustermesh-apiserver-metrics.kube-system"
_METRICS_PORT = 9964
_GLOBAL_SECONDS = 20.0
_PAUSE = 0.02


def rows_of(plan: Plan, to: Neighbour, resolver: str) -> list[Row]:
    """What is seen of one cluster: its names, its target, and how much gets there and back."""
    if not to.zone:
        return [Row(to.cluster, "name by UDP", SKIPPED, "dns.mode has no name for a target")]
    by_udp, found = name_row(plan, to, resolver, tcp=False)
    by_tcp, found_by_tcp = name_row(plan, to, resolver, tcp=True)
    rows = [by_udp, by_tcp, _service_row(plan, to)]
    addresses = found.addresses or found_by_tcp.addresses or _addresses_at(plan, to)
    return [*rows, *_traffic(plan, to, addresses)]


def global_rows(plan: Plan, metrics: str | None) -> list[Row]:
    """Whether the Service of the same name leads to every cluster, and whom the mesh etcd knows."""
    name = global_name(plan)
    wanted = {to.cluster for to in (plan.own, *plan.peers) if to.there}
    counted, words = _ask_until_all_answered(look_up(name, tcp=False).addresses, plan, wanted)
    seen = ", ".join(f"{cluster} {n} times" for cluster, n in sorted(counted.items())) or words
    others = "not among them" if counted else "silence"
    rows = [
        Row(
            to.cluster,
            "global Service",
            PASSED if to.cluster in counted else others,
            f"{name} was answered by {seen}",
        )
        for to in (plan.own, *plan.peers)
    ]
    return [*rows, *_etcd_rows(plan, metrics)]


def global_name(plan: Plan) -> str:
    """The name of the Service that leads to the targets of all clusters, in the own one."""
    return f"{marked(GLOBAL, plan.mark)}.{plan.namespace}.svc.{plan.domain}"


def metrics_of_the_mesh(plan: Plan, resolver: str) -> str | None:
    """What kvstoremesh says of its peers; None where it says nothing."""
    answer = ask(resolver, f"{_METRICS}.svc.{plan.domain}", tcp=False)
    return next((text for text in map(_metrics_at, answer.addresses) if text), None)


def _service_row(plan: Plan, to: Neighbour) -> Row:
    """The name of the headless Service leads to its pods, and each answers by HTTP."""
    name, check = to.service_name(plan), "headless Service"
    found = look_up(name, tcp=False)
    if not found.addresses:
        return Row(to.cluster, check, "no name", f"{name}: {found.words}")
    answers = [is_answered_by(one, plan.port, to.cluster, to.pod) for one in found.addresses]
    worst = next((one for one in answers if one.outcome != PASSED), answers[0])
    return Row(to.cluster, check, worst.outcome, f"{name}: {worst.seen}")


def _traffic(plan: Plan, to: Neighbour, addresses: Iterable[str]) -> Iterator[Row]:
    address = next(iter(addresses), None)
    if address is None:
        nothing = Traffic(SKIPPED, "its address is not known")
        for check in ("pod by TCP", "large by TCP, out", "large by TCP, back", "large by UDP"):
            yield _row(to, check, nothing)
        return
    answered = is_answered_by(address, plan.port, to.cluster, to.pod)
    yield _row(to, "pod by TCP", answered)
    is_there = answered.outcome in {PASSED, "another pod"}
    for check, ask_for in (
        ("large by TCP, out", payload_out),
        ("large by TCP, back", payload_back),
        ("large by UDP", datagram),
    ):
        nothing = Traffic(SKIPPED, "the pod doesn't answer")
        yield _row(to, check, ask_for(address, plan.port) if is_there else nothing)


def _addresses_at(plan: Plan, to: Neighbour) -> tuple[str, ...]:
    """The address from its owner, so that traffic is tried where the own DNS fails."""
    name = to.pod_name(plan)
    answers = [ask(server, name, tcp=False, port=to.dns_port) for server in to.dns]
    return next((one.addresses for one in answers if one.addresses), ())


def _ask_until_all_answered(
    addresses: tuple[str, ...], plan: Plan, wanted: set[str]
) -> tuple[dict[str, int], str]:
    """How often each cluster answered, and the last words of a failure."""
    counted: dict[str, int] = {}
    words = "nobody"
    end = time.monotonic() + _GLOBAL_SECONDS
    while addresses and not wanted <= counted.keys() and time.monotonic() < end:
        answered = who_answers(addresses[0], plan.port, seconds=2)
        if isinstance(answered, Identity):
            counted[answered.cluster] = counted.get(answered.cluster, 0) + 1
        else:
            words = f"nobody: {answered.seen}"
        time.sleep(_PAUSE)
    return counted, words


def _etcd_rows(plan: Plan, metrics: str | None) -> Iterator[Row]:
    for to in plan.peers:
        outcome, seen = _etcd(to.cluster, metrics)
        yield Row(to.cluster, "mesh etcd", outcome, seen)


def _etcd(cluster: str, metrics: str | None) -> tuple[str, str]:
    if metrics is None:
        return SKIPPED, f"{_METRICS}:{_METRICS_PORT} says nothing"
    labels = rf'\{{[^}}]*target_cluster="{re.escape(cluster)}"[^}}]*\}}'
    said = re.search(rf"remote_cluster_readiness_status{labels} (\S+)", metrics)
    if said is None:
        return "unknown to the mesh", f"kvstoremesh doesn't know {cluster}"
    if float(said[1]) != 1:
        return "not connected", f"kvstoremesh is not connected to {cluster}"
    return PASSED, f"kvstoremesh is connected to {cluster}"


def _metrics_at(address: str) -> str | None:
    connection = http.client.HTTPConnection(address, _METRICS_PORT, timeout=5)
    try:
        connection.request("GET", "/metrics")
        return connection.getresponse().read().decode()
    except (OSError, http.client.HTTPException, UnicodeDecodeError):
        return None
    finally:
        connection.close()


def _row(to: Neighbour, check: str, traffic: Traffic) -> Row:
    return Row(to.cluster, check, traffic.outcome, traffic.seen)
