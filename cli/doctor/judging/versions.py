"""Versions of Kubernetes and Cilium: within a cluster, and between those of a mesh."""

from collections.abc import Iterator, Mapping

from cli.doctor.facts import Asked, Node, Unanswered
from cli.doctor.finding import Finding, Subject
from mesh.versions import KUBERNETES, minor, numbers

_KUBELET_BEHIND = 3
"""Minors a kubelet may be older than its API server. Source: Kubernetes' version skew policy."""


def kubelets(cluster: str, version: str, found: Asked[tuple[Node, ...]]) -> Iterator[Finding]:
    """No kubelet is newer than the API server, or more than three minors older."""
    subject = Subject(cluster, "Kubernetes versions")
    if isinstance(found, Unanswered):
        yield subject.not_checked(found.why)
        return
    server = numbers(version)[1]
    wrong = [one for one in found if not 0 <= server - numbers(one.kubelet)[1] <= _KUBELET_BEHIND]
    if wrong:
        seen = f"API server {version}, kubelet {wrong[0].kubelet} on {wrong[0].name}"
        fix = "write into versions.kubernetes what the API server has, and see docs/known-gaps.md"
        yield subject.error(seen, fix)
        return
    other = sorted({one.kubelet for one in found} - {version})
    seen = f"API server {version}, kubelets {', '.join(other) or version}"
    if other:
        yield subject.warning(seen, "one version everywhere: what versions.kubernetes says")
    else:
        yield subject.ok(seen)


def cilium_and_kubernetes(cluster: str, kubernetes: str, cilium: Asked[str]) -> Finding:
    """Cilium's minor is tested with Kubernetes' minor."""
    subject = Subject(cluster, "Cilium's version")
    if isinstance(cilium, Unanswered):
        return subject.not_checked(cilium.why)
    tested = KUBERNETES.get(minor(cilium))
    seen = f"Cilium {cilium} on Kubernetes {kubernetes}"
    if tested is None:
        return subject.warning(f"{seen}: no release this program knows", _write(KUBERNETES))
    if minor(kubernetes) not in tested:
        return subject.warning(f"{seen}: not tested together", f"Kubernetes {', '.join(tested)}")
    return subject.ok(seen)


def cilium_between_clusters(versions: Mapping[str, str]) -> Iterator[Finding]:
    """The clusters' minors of Cilium are at most one apart.

    Source: Cilium's documentation, network/clustermesh/setup (cilium#47351).
    """
    minors = {cluster: numbers(version)[1] for cluster, version in versions.items()}
    for cluster, own in sorted(minors.items()):
        subject = Subject(cluster, "Cilium beside its peers'")
        far = [one for one, theirs in sorted(minors.items()) if abs(theirs - own) > 1]
        if far:
            seen = f"{versions[cluster]}, more than one minor from {versions[far[0]]} in {far[0]}"
            lower = cluster if own < minors[far[0]] else far[0]
            yield subject.error(seen, f"raise versions.cilium of {lower}, one minor at a time")
        elif len(minors) > 1:
            yield subject.ok(f"{versions[cluster]}, at most one minor from each")


def _write(known: Mapping[str, object]) -> str:
    return f"write a {' or '.join(known)} into versions.cilium"
