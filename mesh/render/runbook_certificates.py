"""The chapters of the runbook about certificates and the authority that signs them."""

from collections.abc import Iterator

from mesh.render.markdown import commands, table
from mesh.render.runbook_peers import authority_of
from mesh.topology import Topology

_RENEWAL_JOB = "clustermesh-apiserver-generate-certs"


def certificate_expires(topology: Topology) -> Iterator[str]:
    """Which certificates there are, what renews them, and how to do it by hand."""
    yield "## A certificate expires"
    yield table(("certificate", "valid for", "renewed by"), _certificates(topology))
    yield (
        "On a control plane, `systemctl list-timers mesh-certificate-renewal.timer` says when the\n"
        "timer looks next."
    )
    for stack in sorted(topology.clusters):
        own = f"kubectl --context {topology.clusters[stack].cluster.name} -n kube-system"
        yield f"### A certificate of {stack} expires"
        yield "When the admin certificate and the CA end, and how to get a new admin kubeconfig:"
        yield commands(
            f"pulumi stack output certificates -s {stack}",
            f"pulumi up -s {stack}",
            "mesh kubeconfig -o mesh.kubeconfig",
        )
        yield "The certificates of the mesh etcd, now instead of next month:"
        yield commands(
            f"{own} get cronjobs",
            f"{own} create job --from=cronjob/{_RENEWAL_JOB} renew-by-hand",
        )


def rotate_the_ca(topology: Topology) -> Iterator[str]:
    """How long the CA lasts, where it is kept, and what a rotation means today."""
    authority = authority_of(topology)
    order = sorted(topology.clusters, key=lambda stack: (stack != authority, stack))
    years = topology.clusters[order[0]].lifetimes.ca_years
    yield "## Rotate the CA"
    yield (
        f"**A rotation isn't built.** The CA of the mesh lasts {years} years from the first\n"
        f"`pulumi up` of {authority}, and every `pulumi up` warns from 60 days before its end. It\n"
        "lies in the state of every stack, encrypted and protected, and in the Secret\n"
        "`kube-system/cilium-ca` of every cluster. When it ends:"
    )
    yield commands(*(f"pulumi stack output certificates -s {stack}" for stack in order))
    yield (
        "A new CA means a new mesh today. If its key is in wrong hands, or its end is near: save\n"
        "what runs in the clusters, destroy all stacks, the authority last, and bring them up\n"
        "again, the authority first."
    )
    yield commands(
        *(
            line
            for stack in reversed(order)
            for line in (
                f"pulumi state unprotect --all -s {stack}",
                f"pulumi destroy -s {stack}",
            )
        ),
        *(f"pulumi up -s {stack}" for stack in order),
    )
    yield (
        "Keep a copy of the CA in a safe. It comes in plain text, with every other secret of the\n"
        "stack:"
    )
    yield commands(f"pulumi stack export --show-secrets --file {authority}.json -s {authority}")


def _certificates(topology: Topology) -> Iterator[tuple[str, str, str]]:
    for stack in sorted(topology.clusters):
        times = topology.clusters[stack].lifetimes
        kubeadm, mesh = times.control_plane_certificate_days, times.mesh_certificate_days
        yield f"{stack}: control plane", f"{kubeadm} days", "a timer on the control plane"
        admin = f"{times.admin_kubeconfig_days} days"
        yield f"{stack}: admin kubeconfig", admin, "`pulumi up` in its last third"
        yield f"{stack}: mesh etcd", f"{mesh} days", "a CronJob, every month"
