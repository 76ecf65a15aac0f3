"""Addresses of load balancers: given, announced, and with something behind them."""

from collections.abc import Iterator

from cli.doctor.facts import Asked, LoadBalancer, Unanswered
from cli.doctor.finding import Finding, Subject

_OURS = "kube-system/clustermesh-apiserver"
_PEERS_DIAL = (_OURS, "kube-system/mesh-dns")
_SPEAKERS = "-n metallb-system get pods,servicel2statuses,servicebgpstatuses -o wide"


def load_balancers(cluster: str, found: Asked[tuple[LoadBalancer, ...]]) -> Iterator[Finding]:
    """A finding for each Service of type LoadBalancer; what peers dial must work."""
    if isinstance(found, Unanswered):
        yield Subject(cluster, "load balancers").not_checked(found.why)
        return
    if not any(one.full_name == _OURS for one in found):
        subject = Subject(cluster, f"Service {_OURS}")
        fix = f"pulumi refresh -s {cluster}; pulumi up -s {cluster}"
        yield subject.error("isn't there, so no peer can connect", fix)
    yield from (_judged(cluster, one) for one in found)


def _judged(cluster: str, one: LoadBalancer) -> Finding:
    subject = Subject(cluster, f"Service {one.full_name}")
    trouble, fix = _trouble(cluster, one)
    if trouble and one.full_name in _PEERS_DIAL:
        return subject.error(trouble, fix)
    if trouble:
        return subject.warning(trouble, fix)
    given = ", ".join(one.given)
    return subject.ok(f"{given}, announced from {', '.join(sorted(one.announced_from))}")


def _trouble(cluster: str, one: LoadBalancer) -> tuple[str, str]:
    own = f"kubectl --context {cluster}"
    if not one.given:
        events = f"{own} -n {one.namespace} describe service {one.name}"
        return "has no address", f"{events}; then a free address in loadBalancer.addresses"
    given = ", ".join(one.given)
    if one.pinned and {*one.pinned} != {*one.given}:
        fix = f"pulumi refresh -s {cluster}; pulumi up -s {cluster}"
        return f"has {given}, and {', '.join(one.pinned)} is asked for", fix
    if not one.ready_endpoints:
        fix = f"{own} -n {one.namespace} get endpointslices,pods -o wide"
        return f"{given}: no pod behind it is ready", fix
    if not one.announced_from:
        return f"{given}: no node announces it", f"{own} {_SPEAKERS}"
    return "", ""
