"""From what was seen to findings, for all clusters together."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from cli.doctor.facts import Certificate, Cluster, Silent, Unanswered
from cli.doctor.finding import Finding, Subject
from cli.doctor.judging import addresses, certificates, cilium, dns, drift, nodes, versions
from cli.doctor.plan import Plan
from cli.doctor.zones import exposed_zones

Plans = Mapping[str, Plan] | Unanswered


def judge(seen: Sequence[Cluster | Silent], plans: Plans, now: datetime) -> tuple[Finding, ...]:
    """Every finding, cluster by cluster in their order."""
    there = [one for one in seen if isinstance(one, Cluster)]
    between = [*_authorities(there), *_cilium_versions(there)]
    found: list[Finding] = []
    for one in seen:
        found += _silent(one, now) if isinstance(one, Silent) else _cluster(one, seen, plans, now)
        found += [finding for finding in between if finding.cluster == one.name]
    return tuple(_of_its_stack(finding, plans) for finding in found)


def _of_its_stack(finding: Finding, plans: Plans) -> Finding:
    """The commands of a fix by the name of the stack, where that isn't the cluster's."""
    plan = _plan(finding.cluster, plans)
    if isinstance(plan, Unanswered) or plan.stack == finding.cluster:
        return finding
    by_cluster = rf"(pulumi \w+ -s |mesh repair ){re.escape(finding.cluster)}\b"
    return replace(finding, fix=re.sub(by_cluster, rf"\g<1>{plan.stack}", finding.fix))


def _silent(one: Silent, now: datetime) -> Iterator[Finding]:
    fix = (
        f"is {one.server} right and reachable from here, and its control plane powered on?"
        " If the kubeconfig is an old one: mesh kubeconfig -o mesh.kubeconfig"
    )
    yield Subject(one.name, "API server").error(f"{one.server}: {one.why}", fix)
    known = [each for each in one.certificates if isinstance(each, Certificate)]
    yield from certificates.certificates(one.name, known, now)


def _cluster(
    one: Cluster, seen: Sequence[Cluster | Silent], plans: Plans, now: datetime
) -> Iterator[Finding]:
    name = one.name
    plan = _plan(name, plans)
    yield Subject(name, "API server").ok(f"answers, Kubernetes {one.version}")
    yield from certificates.certificates(name, one.certificates, now)
    yield from nodes.nodes(name, one.nodes)
    yield from cilium.pods(name, one.cilium)
    yield from cilium.agents(name, one.cilium)
    yield from cilium.remote_clusters(name, one.cilium, _peers(name, seen, plan), _nodes(seen))
    yield from addresses.load_balancers(name, one.load_balancers)
    yield from dns.core_dns(name, one.dns)
    yield dns.rolled_out(name, one.dns)
    owners = _owners(name, seen, plans)
    yield from dns.answers(name, one.dns, owners, _addresses(seen))
    yield from dns.node_local(name, one.dns, owners)
    yield from drift.releases(name, one.releases)
    yield drift.corefile(name, one.dns.corefile, plan)
    yield from drift.values(name, one.releases, plan)
    yield from versions.kubelets(name, one.version, one.nodes)
    yield versions.cilium_and_kubernetes(name, one.version, one.cilium.version)
    yield from nodes.failed_jobs(name, one.failed_jobs)


def _plan(cluster: str, plans: Plans) -> Plan | Unanswered:
    if isinstance(plans, Unanswered):
        return plans
    return plans.get(cluster) or Unanswered("no stack file here is of this cluster")


def _peers(
    cluster: str, seen: Sequence[Cluster | Silent], plan: Plan | Unanswered
) -> frozenset[str]:
    """By the stack files; without them everyone in the kubeconfig."""
    if isinstance(plan, Plan):
        return plan.peers
    return frozenset(one.name for one in seen) - {cluster}


def _owners(cluster: str, seen: Sequence[Cluster | Silent], plans: Plans) -> dict[str, str]:
    """The cluster of each zone that this one should answer for.

    One with its forwarding off answers its peers for nothing, and asks none.
    """
    plan = _plan(cluster, plans)
    wanted = {cluster, *_peers(cluster, seen, plan)}
    found: dict[str, str] = {}
    if not _exposed(cluster, seen):
        return found
    for one in wanted:
        planned = _plan(one, plans)
        if isinstance(planned, Plan):
            found |= dict.fromkeys(planned.zones, one)
    for one in wanted:
        found |= dict.fromkeys(_exposed(one, seen), one)
    return found


def _exposed(cluster: str, seen: Sequence[Cluster | Silent]) -> tuple[str, ...]:
    corefiles = (
        one.dns.corefile for one in seen if isinstance(one, Cluster) and one.name == cluster
    )
    return tuple(
        zone for text in corefiles if isinstance(text, str) for zone in exposed_zones(text)
    )


def _nodes(seen: Sequence[Cluster | Silent]) -> dict[str, frozenset[str]]:
    return {
        one.name: frozenset(node.name for node in one.nodes)
        for one in seen
        if isinstance(one, Cluster) and not isinstance(one.nodes, Unanswered)
    }


def _addresses(seen: Sequence[Cluster | Silent]) -> dict[str, str]:
    return {
        one.name: one.dns.address
        for one in seen
        if isinstance(one, Cluster) and isinstance(one.dns.address, str)
    }


def _authorities(there: Sequence[Cluster]) -> Iterator[Finding]:
    known = {
        one.name: frozenset(
            each.fingerprint
            for each in one.certificates
            if isinstance(each, Certificate) and each.kind == "authority"
        )
        for one in there
    }
    yield from certificates.one_authority({name: any_ for name, any_ in known.items() if any_})


def _cilium_versions(there: Sequence[Cluster]) -> Iterator[Finding]:
    known = {one.name: one.cilium.version for one in there}
    told = {name: version for name, version in known.items() if isinstance(version, str)}
    yield from versions.cilium_between_clusters(told)
