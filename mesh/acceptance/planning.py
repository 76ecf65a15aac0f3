"""Who asks whom: the plan of a run, out of the settings and of what is known of the peers."""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import replace

from mesh.acceptance.findings import Report
from mesh.acceptance.probe.plan import Neighbour, Plan
from mesh.acceptance.sources import sources
from mesh.endpoint import Endpoint, planned_endpoint
from mesh.peer import Peer
from mesh.render.firewall import WIREGUARD_PORT
from mesh.render.images import mirrored
from mesh.settings import MeshSettings, Settings

PATIENCE = 180.0
"""Seconds in which what fails right after an `up` is tried again."""
_RUN_LENGTH = 10


def plan(
    settings: Settings,
    peers: Iterable[Peer],
    *,
    namespace: str,
    patience: float,
    targets_made: bool = False,
    mark: str = "",
) -> Plan:
    """The plan of one cluster's run, as yet without a name; a peer that exported nothing is later.

    `patience` is how many seconds what fails is tried again. With `targets_made` a missing target
    is a failure. `mark` is what the names of its Services end in.
    """
    own = planned_endpoint(settings)
    return Plan(
        run="",
        after="",
        namespace=namespace,
        domain=own.dns_domain,
        own=Neighbour(cluster=own.cluster, zone=_ending(own)),
        peers=tuple(_neighbour(peer) for peer in sorted(peers, key=lambda peer: peer.stack)),
        patience=patience,
        targets_made=targets_made,
        mark=mark,
    )


def named(unnamed: Plan, after: str, depends_on: Mapping[str, str]) -> Plan:
    """The plan with its run's name, a hash of it, of the probe and of what else it depends on."""
    follows = replace(unnamed, after=after)
    parts = {**depends_on, **sources(), "plan": follows.text()}
    told = "\n".join(f"{key}={value}" for key, value in sorted(parts.items()))
    return replace(follows, run=hashlib.sha256(told.encode()).hexdigest()[:_RUN_LENGTH])


def next_after(last: Report | None) -> str:
    """What the next run comes after: a last one that failed, else what that one came after.

    So an unchanged mesh whose last run didn't fail gets the same run, and isn't asked again.
    """
    if last is None:
        return ""
    return last.run if last.failed else last.after


def image(settings: Settings) -> str:
    """The image that a target and a run are in, at the site's own registry where it has one."""
    wanted, registry = settings.acceptance.image, settings.images.registry
    return mirrored(wanted, registry) if registry else wanted


def tunnel(mesh: MeshSettings) -> str:
    """What must pass between the nodes of all clusters, in words."""
    if mesh.encryption == "wireguard":
        return f"UDP {WIREGUARD_PORT} (WireGuard)"
    if mesh.routing_mode == "native":
        return "every packet between the pod ranges (native routing)"
    return f"UDP {mesh.tunnel_port_in_use} ({mesh.tunnel_protocol})"


def _neighbour(peer: Peer) -> Neighbour:
    endpoint = peer.endpoint
    return Neighbour(
        cluster=endpoint.cluster,
        zone=_ending(endpoint),
        dns=tuple(map(str, endpoint.dns.addresses)),
        dns_port=endpoint.dns.port,
        there=peer.status == "exported",
    )


def _ending(endpoint: Endpoint) -> str:
    """What the names of a cluster's pods end in; nothing where only some namespaces have names."""
    return {
        "zones": endpoint.zone,
        "domain": f"svc.{endpoint.zone}",
        "namespaces": "",
    }[endpoint.dns.mode]
