"""What the stack files in the current directory make of a cluster."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from ipaddress import IPv4Address
from pathlib import Path
from typing import Any

from cli.check import verdict
from cli.doctor.facts import Asked, Unanswered
from cli.failure import Failure
from cli.project import Project, load
from mesh.endpoint import planned_endpoint
from mesh.peer import Peer, peer
from mesh.render.cilium_values import cilium_values
from mesh.render.corefile import corefile
from mesh.render.metallb import metallb_values
from mesh.settings import Settings


@dataclass(frozen=True)
class Chosen:
    """The addresses that MetalLB gave a cluster's two Services, as far as they were seen."""

    etcd: IPv4Address | None = None
    dns: IPv4Address | None = None


@dataclass(frozen=True, kw_only=True)
class Plan:
    """One cluster by its stack file: peers by name, its zones, and what should run there."""

    stack: str
    peers: frozenset[str]
    zones: tuple[str, ...]
    versions: Mapping[str, str]
    corefile: Asked[str]
    values: Mapping[str, Asked[Mapping[str, Any]]] = field(repr=False)


def plans(directory: Path, chosen: Mapping[str, Chosen]) -> Mapping[str, Plan] | Unanswered:
    """The plans by cluster name, or why there are none; `chosen` is by cluster too."""
    try:
        project = load(directory)
    except Failure:
        return _no_files(directory)
    if verdict(project).problems:
        return Unanswered("the stack files have problems: mesh check")
    found = (_plan(project, stack, chosen) for stack in project.stacks)
    return {project.settings[one.stack].cluster.name: one for one in found}


def _no_files(directory: Path) -> Unanswered:
    if (directory / "Pulumi.yaml").exists():
        return Unanswered("the stack files can't be read: mesh check")
    return Unanswered("no stack files here: run this in the project's directory")


def _plan(project: Project, stack: str, chosen: Mapping[str, Chosen]) -> Plan:
    settings = project.settings[stack]
    others = project.topology.peers_of(stack)
    peers = [_peer(one, project.settings[one], chosen) for one in others]
    waiting = [one.stack for one in peers if one.status == "pending"]
    unknown = Unanswered(f"an address that MetalLB chose in {', '.join(waiting)} wasn't seen")
    answered = planned_endpoint(settings).zones
    return Plan(
        stack=stack,
        peers=frozenset(project.settings[one].cluster.name for one in others),
        # One with its forwarding off answers nobody.
        zones=answered if settings.dns.forwarding else (),
        versions={"cilium": settings.versions.cilium, "metallb": settings.versions.metallb},
        corefile=unknown if waiting else corefile(settings, peers),
        values={
            "cilium": unknown if waiting else cilium_values(settings, peers),
            "metallb": metallb_values(settings),
        },
    )


def _peer(stack: str, settings: Settings, chosen: Mapping[str, Chosen]) -> Peer:
    planned = planned_endpoint(settings)
    seen = chosen.get(settings.cluster.name)
    told = planned.with_chosen(seen.etcd, seen.dns) if seen else None
    return peer(stack, planned, told)
