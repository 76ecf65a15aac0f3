"""All workloads of one cluster, and what its stack exports of them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pulumi
from pulumi import Output, ResourceOptions

from components.stretched_stateful_set import StretchedStatefulSet, StretchedStatefulSetArgs
from mesh.pki import certificate_expiry
from mesh.topology import Topology
from mesh.workloads import summary, workloads_in


@dataclass(frozen=True, kw_only=True)
class WorkloadsArgs:
    """The mesh and its CA (secret), the workloads' generations by name, and the lifetime."""

    topology: Topology
    mesh_ca: Output[Mapping[str, str]]
    generations: Mapping[str, int]
    lifetime: pulumi.Resource


def stretched_workloads(
    cluster: str, stack: str, args: WorkloadsArgs, opts: ResourceOptions
) -> dict[str, StretchedStatefulSet]:
    """Return this cluster's part of every workload that has one here, by name."""
    days = args.topology.clusters[stack].lifetimes.workload_certificate_days
    return {
        workload.name: StretchedStatefulSet(
            f"{cluster}-{workload.name}",
            StretchedStatefulSetArgs(
                workload=workload,
                site=workload.site(stack),
                mesh_ca=args.mesh_ca,
                generation=args.generations.get(workload.name, 1),
                certificate_days=days,
                lifetime=args.lifetime,
            ),
            opts,
        )
        for workload in workloads_in(args.topology, stack)
    }


def workload_outputs(made: Mapping[str, StretchedStatefulSet]) -> dict[str, Any]:
    """Return the output `workloads`, for users and for the stack's next run; none without any."""
    exported = {name: _output(workload) for name, workload in made.items()}
    return {"workloads": exported} if exported else {}


def _output(made: StretchedStatefulSet) -> dict[str, Any]:
    args = made.args
    return {
        **summary(args.workload, args.site),
        "generation": args.generation,
        # When a certificate ends is no secret, and the next run compares it with its clock.
        "notAfter": Output.unsecret(made.certificates.apply(_first_end)),
    }


def _first_end(pairs: Mapping[str, Mapping[str, str]]) -> str:
    return min(certificate_expiry(pair["certificate"]) for pair in pairs.values()).isoformat()
