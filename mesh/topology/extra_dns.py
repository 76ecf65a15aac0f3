"""Rules about `dns.extra`, what a user adds to the Corefile."""

from collections.abc import Callable, Iterator

from mesh.corefile.extra import wrong_in_plugins, wrong_in_servers
from mesh.corefile.names import zones
from mesh.corefile.plugins import NEWEST
from mesh.corefile.server_rules import HeldZones
from mesh.corefile.words import CorefileError
from mesh.corefile.wrong import Wrong
from mesh.endpoint import planned_endpoint
from mesh.settings import Problem, Settings
from mesh.topology.topology import Topology, problem
from mesh.versions import CORE_DNS, minor

_KEY = "dns.extra"
_Look = Callable[[str, HeldZones, str], tuple[Wrong, ...]]


def added_dns_fits_the_corefile(topology: Topology) -> Iterator[Problem]:
    """What is added leaves the mesh's own names alone, and CoreDNS knows it.

    Source: the manuals of CoreDNS's plugins; `mesh/corefile/plugins.py`.
    """
    for stack in topology.ordered():
        settings = topology.clusters[stack]
        extra = settings.dns.extra
        looks: tuple[tuple[str, str, _Look], ...] = (
            ("plugins", extra.plugins, wrong_in_plugins),
            ("servers", extra.servers, wrong_in_servers),
        )
        for name, text, look in looks:
            if not text:
                continue
            key = f"{_KEY}.{name}"
            if not settings.dns.forwarding:
                reason = "means nothing with dns.forwarding: false, which is kubeadm's Corefile"
                yield problem(stack, key, None, reason, "take it out, or write true there")
                continue
            yield from _problems(topology, stack, key, text, look)


def _problems(
    topology: Topology, stack: str, key: str, text: str, look: _Look
) -> Iterator[Problem]:
    settings = topology.clusters[stack]
    core_dns = CORE_DNS.get(minor(settings.versions.kubernetes), NEWEST)
    try:
        found = look(text, _held(topology, stack), core_dns)
    except CorefileError as error:
        yield problem(stack, key, None, f"line {error.line} {error.reason}", error.instead)
        return
    for wrong in found:
        reason = f"in line {wrong.line} {wrong.reason}"
        yield problem(stack, key, wrong.written, reason, wrong.instead)


def _held(topology: Topology, stack: str) -> HeldZones:
    settings = topology.clusters[stack]
    peers = {
        zone: f"which is asked of {peer}"
        for peer in topology.peers_of(stack)
        for zone in planned_endpoint(topology.clusters[peer]).zones
    }
    return HeldZones(_own(settings), peers)


def _own(settings: Settings) -> dict[str, str]:
    own = planned_endpoint(settings)
    reverse = {
        zone: f"where the names of {key} are"
        for key, written in (
            ("network.podCidr", settings.network.pod_cidr),
            ("network.serviceCidr", settings.network.service_cidr),
        )
        for zone in zones(str(written))
    }
    answered = {zone: "which is cluster.zone" for zone in own.zones if zone == own.zone}
    return {**answered, own.dns_domain: "the domain of Kubernetes itself", **reverse}
