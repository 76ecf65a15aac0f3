"""`mesh doctor`: asked, held against the stack files, judged."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from ipaddress import IPv4Address
from pathlib import Path

from cli.doctor.ask import Enter, Say, ask
from cli.doctor.asking.access import Access
from cli.doctor.asking.inside import PodChannels
from cli.doctor.facts import Cluster, LoadBalancer, Silent, Unanswered
from cli.doctor.finding import Finding
from cli.doctor.judge import judge
from cli.doctor.plan import Chosen, plans

_ETCD, _DNS = "kube-system/clustermesh-apiserver", "kube-system/mesh-dns"


def examine(
    accesses: Sequence[Access], directory: Path, say: Say, enter: Enter = PodChannels
) -> tuple[Finding, ...]:
    """Every finding about the clusters; the stack files are those of the directory, if any."""
    before = plans(directory, {})
    zones = {} if isinstance(before, Unanswered) else {n: one.zones for n, one in before.items()}
    seen = ask(accesses, zones, say, enter)
    return judge(seen, plans(directory, _chosen(seen)), datetime.now(UTC))


def _chosen(seen: Sequence[Cluster | Silent]) -> Mapping[str, Chosen]:
    return {
        one.name: Chosen(_given(one.load_balancers, _ETCD), _given(one.load_balancers, _DNS))
        for one in seen
        if isinstance(one, Cluster) and not isinstance(one.load_balancers, Unanswered)
    }


def _given(services: Sequence[LoadBalancer], name: str) -> IPv4Address | None:
    given = [one.given for one in services if one.full_name == name and one.given]
    return IPv4Address(given[0][0]) if given else None
