"""Two real CoreDNS processes, as east and west, each with the Corefile we render for it."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import dns.message
import pytest
from dns.rcode import NOERROR, NXDOMAIN, REFUSED, SERVFAIL

from mesh.endpoint import Endpoint
from mesh.peer import Peer
from mesh.render.corefile import corefile
from tests.mesh.render import coredns
from tests.mesh.render.clusters import peers, settings
from tests.ports import free_port

RECORDS = """\
$ORIGIN cluster.local.
@ 5 IN SOA ns.dns hostmaster 1 7200 1800 86400 5
web-0.web.default.svc 5 IN A {address}
web.default.svc 5 IN A {address}
_http._tcp.web.default.svc 5 IN SRV 0 100 80 web-0.web.default.svc
moved.default.svc 5 IN CNAME web.default.svc
"""
ADDRESSES = {"east": "10.101.0.5", "west": "10.102.0.5"}


class Ports(NamedTuple):
    inside: int
    exposed: int


def ports() -> Ports:
    return Ports(free_port(), free_port())


def at(name: str, port: int) -> Peer:
    [peer] = peers(name)
    moved = peer.endpoint.as_output() | {"dns": {"addresses": ["127.0.0.1"], "port": port}}
    return Peer(name, Endpoint.from_output(moved), "exported", "")


def served(directory: Path, name: str, own: Ports, peer: Peer) -> str:
    (directory / "records").write_text(RECORDS.format(address=ADDRESSES[name]))
    records = f"file {directory / 'records'} cluster.local"
    return coredns.on_high_ports(corefile(settings(name), [peer]), *own, records)


@pytest.fixture(scope="module")
def clusters(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Ports]]:
    coredns.binary()
    east, west = ports(), ports()
    homes = [tmp_path_factory.mktemp(name) for name in ("east", "west")]
    texts = (
        served(homes[0], "east", east, at("west", west.exposed)),
        served(homes[1], "west", west, at("east", east.exposed)),
    )
    with (
        coredns.serving(homes[0], texts[0], east.inside),
        coredns.serving(homes[1], texts[1], west.inside),
    ):
        yield {"east": east, "west": west}


def answers(reply: dns.message.Message) -> list[str]:
    return [line for rrset in reply.answer for line in rrset.to_text().splitlines()]


@pytest.mark.parametrize("tcp", [False, True], ids=["udp", "tcp"])
@pytest.mark.parametrize(("asker", "owner"), [("east", "west"), ("west", "east")])
@pytest.mark.parametrize("form", ["", ".svc"])
def test_a_pod_of_the_peer_has_the_name_that_was_asked_for(
    clusters: dict[str, Ports], asker: str, owner: str, form: str, tcp: bool
) -> None:
    name = f"web-0.web.default{form}.{owner}.mesh.example."
    reply = coredns.ask(name, "A", clusters[asker].inside, tcp=tcp)
    assert answers(reply) == [f"{name} 5 IN A {ADDRESSES[owner]}"]


def test_the_own_zone_is_answered_at_home(clusters: dict[str, Ports]) -> None:
    reply = coredns.ask("web-0.web.default.east.mesh.example.", "A", clusters["east"].inside)
    assert answers(reply) == ["web-0.web.default.east.mesh.example. 5 IN A 10.101.0.5"]


def test_a_service_record_points_into_the_peers_zone(clusters: dict[str, Ports]) -> None:
    name = "_http._tcp.web.default.west.mesh.example."
    reply = coredns.ask(name, "SRV", clusters["east"].inside)
    target = "web-0.web.default.west.mesh.example."
    assert answers(reply) == [f"{name} 5 IN SRV 0 100 80 {target}"]
    assert [rrset.name.to_text() for rrset in reply.additional] == [target]


def test_an_alias_leads_into_the_peers_zone(clusters: dict[str, Ports]) -> None:
    reply = coredns.ask("moved.default.west.mesh.example.", "A", clusters["east"].inside)
    assert answers(reply) == [
        "moved.default.west.mesh.example. 5 IN CNAME web.default.west.mesh.example.",
        "web.default.west.mesh.example. 5 IN A 10.102.0.5",
    ]


def test_a_member_that_is_not_there_is_forgotten_soon(clusters: dict[str, Ports]) -> None:
    reply = coredns.ask("no.web.default.west.mesh.example.", "A", clusters["east"].inside)
    assert reply.rcode() == NXDOMAIN
    assert max(rrset.ttl for rrset in reply.authority) <= 5


@pytest.mark.parametrize(
    "name",
    ["web-0.web.default.svc.cluster.local.", "example.org.", "web.default.east.mesh.example."],
)
def test_peers_can_ask_the_exposed_port_for_its_zone_only(
    clusters: dict[str, Ports], name: str
) -> None:
    exposed = clusters["west"].exposed
    assert coredns.ask(name, "A", exposed).rcode() == REFUSED
    own = coredns.ask("web.default.west.mesh.example.", "A", exposed)
    assert own.rcode() == NOERROR


def test_coredns_reads_the_file_with_its_kubernetes_plugin_too(tmp_path: Path) -> None:
    coredns.binary()
    own, nobody = ports(), free_port()
    plugin = coredns.KUBERNETES.strip().removesuffix("}")
    records = f"{plugin}   endpoint http://127.0.0.1:{nobody}\n    }}"
    text = coredns.on_high_ports(corefile(settings(), peers("west", "north")), *own, records)
    with coredns.serving(tmp_path, text, own.inside):
        reply = coredns.ask("web.default.east.mesh.example.", "A", own.exposed)
        assert reply.rcode() == SERVFAIL
