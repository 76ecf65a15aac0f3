"""Nodes: whether the cluster can use them."""

from collections.abc import Iterator

from cli.doctor.facts import Asked, Controller, Job, Node, Unanswered
from cli.doctor.finding import Finding, Subject


def nodes(cluster: str, found: Asked[tuple[Node, ...]]) -> Iterator[Finding]:
    """One finding if all are Ready, else one for each that isn't."""
    subject = Subject(cluster, "nodes")
    if isinstance(found, Unanswered):
        yield subject.not_checked(found.why)
        return
    unready = [one for one in found if one.unready]
    for node in unready:
        fix = f"on {node.name}: systemctl status kubelet containerd; in vCenter: is it powered on?"
        yield Subject(cluster, f"node {node.name}").error(f"not Ready: {node.unready}", fix)
    if not found:
        yield subject.error("there is none", f"pulumi up -s {cluster}")
    elif not unready:
        yield subject.ok(f"{len(found)} of {len(found)} Ready")


def controller(cluster: str, found: Controller, fix: str) -> Finding:
    """Whether a Deployment or DaemonSet has all its pods, and of its newest form."""
    subject = Subject(cluster, found.name)
    seen = f"{found.ready} of {found.wanted} pods ready"
    if found.wanted == 0 or found.ready < found.wanted:
        return subject.error(seen, fix)
    if found.updated < found.wanted:
        behind = f"{seen}, {found.wanted - found.updated} of them of an older form"
        return subject.warning(behind, fix)
    return subject.ok(seen)


def failed_jobs(cluster: str, found: Asked[tuple[Job, ...]]) -> Iterator[Finding]:
    """Jobs of stretched workloads that gave up; nothing is said where none did."""
    if isinstance(found, Unanswered):
        yield Subject(cluster, "Jobs of workloads").not_checked(found.why)
        return
    for job in found:
        subject = Subject(cluster, f"Job {job.namespace}/{job.name}")
        own = f"kubectl --context {cluster} -n {job.namespace}"
        yield subject.error(f"failed: {job.reason}", f"{own} logs job/{job.name}")
