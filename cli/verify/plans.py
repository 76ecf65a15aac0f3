"""Who asks whom in a `mesh verify`: by the stack files, or by what the clusters say themselves."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address
from pathlib import Path

from cli.doctor.zones import domain_of, exposed_zones, is_namespace
from cli.failure import Failure
from cli.project import Project, load
from cli.verify.workbench import NAMESPACE, Workbench
from mesh.acceptance.planning import image, named, plan, tunnel
from mesh.acceptance.probe.plan import Neighbour, Plan
from mesh.endpoint import planned_endpoint
from mesh.peer import Peer
from mesh.settings import AcceptanceSettings, Settings

_PATIENCE = 90.0
"""Seconds in which what fails is tried again, such as a name that is a second old."""
_ANY_TUNNEL = "the tunnel's port (kube-system/cilium-config: tunnel-protocol, tunnel-port)"


@dataclass(frozen=True, kw_only=True)
class Part:
    """One cluster's part of a verification."""

    bench: Workbench
    plan: Plan
    image: str
    tunnel: str


def parts(directory: Path, benches: Sequence[Workbench], mark: str) -> tuple[Part, ...]:
    """The part of every cluster; every other cluster with a kubeconfig or a stack file is asked.

    `mark` is what the names end in that are asked for.
    """
    if (directory / "Pulumi.yaml").exists():
        return tuple(_by_files(load(directory), benches, mark))
    return tuple(_by_clusters(benches, mark))


def _by_files(project: Project, benches: Sequence[Workbench], mark: str) -> Iterator[Part]:
    by_cluster = {one.cluster: one for one in benches}
    stacks = {project.settings[stack].cluster.name: stack for stack in project.stacks}
    if strangers := sorted(by_cluster.keys() - stacks.keys()):
        raise Failure(
            f"no stack file here is of cluster {', '.join(strangers)}: name the stacks to verify, "
            "or use another kubeconfig"
        )
    for cluster, bench in by_cluster.items():
        settings = project.settings[stacks[cluster]]
        peers = [
            _peer(stack, project.settings[stack], by_cluster)
            for stack in project.topology.peers_of(stacks[cluster])
        ]
        unnamed = plan(
            settings,
            peers,
            namespace=NAMESPACE,
            patience=_PATIENCE,
            targets_made=True,
            mark=mark,
        )
        yield Part(
            bench=bench,
            plan=named(unnamed, "", {}),
            image=image(settings),
            tunnel=tunnel(settings.mesh),
        )


def _peer(stack: str, settings: Settings, benches: Mapping[str, Workbench]) -> Peer:
    endpoint = planned_endpoint(settings)
    bench = benches.get(endpoint.cluster)
    if bench is None:
        return Peer(stack, endpoint, "planned", "")
    if endpoint.dns.awaited and (chosen := bench.address_of("mesh-dns")):
        endpoint = endpoint.with_chosen(None, IPv4Address(chosen))
    return Peer(stack, endpoint, "exported", "")


def _by_clusters(benches: Sequence[Workbench], mark: str) -> Iterator[Part]:
    domains = {one.cluster: domain_of(_corefile(one)) for one in benches}
    all_of_them = {one.cluster: _neighbour(one, domains[one.cluster]) for one in benches}
    for bench in benches:
        unnamed = Plan(
            run="",
            after="",
            namespace=NAMESPACE,
            domain=domains[bench.cluster],
            own=all_of_them[bench.cluster],
            peers=tuple(to for name, to in all_of_them.items() if name != bench.cluster),
            patience=_PATIENCE,
            targets_made=True,
            mark=mark,
        )
        yield Part(
            bench=bench,
            plan=named(unnamed, "", {}),
            image=AcceptanceSettings().image,
            tunnel=_ANY_TUNNEL,
        )


def _neighbour(bench: Workbench, domain: str) -> Neighbour:
    zones = [zone for zone in exposed_zones(_corefile(bench)) if not is_namespace(zone)]
    zone = zones[0] if zones else ""
    given = bench.address_of("mesh-dns")
    return Neighbour(
        cluster=bench.cluster,
        zone=f"svc.{zone}" if zone == domain else zone,
        dns=(given,) if given else (),
    )


def _corefile(bench: Workbench) -> str:
    return (bench.config_map("kube-system", "coredns") or {}).get("Corefile", "")
