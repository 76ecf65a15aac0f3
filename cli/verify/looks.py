"""What no Job may see, and the API shows: the nodes Cilium knows, and a DNS cache in front."""

import json
from collections.abc import Iterator

from cli.doctor.asking.api import NoAnswerError
from cli.doctor.asking.inside import Inside
from cli.verify.plans import Part
from mesh.acceptance.findings import Finding, finding
from mesh.acceptance.probe.plan import PASSED, Neighbour
from mesh.corefile.node_local import blocks_missing_in, missing_zones
from mesh.corefile.words import CorefileError

_PODS = "/api/v1/namespaces/kube-system/pods"
_LIST_NODES = ("cilium-dbg", "node", "list", "-o", "json")
_CACHE = "node-local-dns"


def looks(part: Part, inside: Inside) -> Iterator[Finding]:
    """What is seen of every peer from outside the pods."""
    yield from _nodes(part, inside)
    yield from _cache(part)


def _nodes(part: Part, inside: Inside) -> Iterator[Finding]:
    try:
        known = _nodes_by_cluster(part, inside)
    except (NoAnswerError, ValueError, AttributeError) as error:
        for to in part.plan.peers:
            yield _row(part, to, "remote nodes", "not looked at", str(error))
        return
    for to in part.plan.peers:
        names = known.get(to.cluster, [])
        seen = f"Cilium knows {', '.join(names) or 'no node'}"
        outcome = PASSED if names else "nodes unknown" if to.there else "pending"
        yield _row(part, to, "remote nodes", outcome, seen)


def _nodes_by_cluster(part: Part, inside: Inside) -> dict[str, list[str]]:
    listed = part.bench.api.items(_PODS, labelSelector="k8s-app=cilium")
    running = [one for one in listed if (one.get("status") or {}).get("phase") == "Running"]
    if not running:
        raise NoAnswerError("no pod of the DaemonSet cilium runs")
    said = inside.run(running[0]["metadata"]["name"], "cilium-agent", *_LIST_NODES)
    known: dict[str, list[str]] = {}
    for one in json.loads(said):
        cluster, _, node = str(one.get("name")).partition("/")
        known.setdefault(cluster, []).append(node)
    return known


def _cache(part: Part) -> Iterator[Finding]:
    """Only where NodeLocal DNSCache stands between pods and CoreDNS."""
    data = part.bench.config_map("kube-system", _CACHE)
    if data is None:
        return
    text = data.get("Corefile", "")
    for to in part.plan.peers:
        zone = to.zone.removeprefix("svc.")
        if not zone:
            continue
        try:
            is_missing = bool(missing_zones(text, [zone], part.plan.domain))
            lacking = blocks_missing_in(text, [zone], part.plan.domain)
        except CorefileError as error:
            is_missing, lacking = True, str(error)
        seen = f"kube-system/{_CACHE} lacks: {' '.join(lacking.split())}" if is_missing else zone
        outcome = "hidden by a cache" if is_missing else PASSED
        yield _row(part, to, "DNS cache on the nodes", outcome, seen)


def _row(part: Part, to: Neighbour, check: str, outcome: str, seen: str) -> Finding:
    return finding(part.plan.own.cluster, to, check, outcome, seen, part.tunnel)
