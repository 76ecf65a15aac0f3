"""What a peer can have from the exposed listener: the zone, and nothing else."""

import random
import socket
from functools import partial

import dns.message
import dns.rdataclass
import pytest
from dns.rcode import NOERROR, REFUSED

from mesh.render.corefile import EXPOSED_PORT
from tests.dns.fleets import Fleet
from tests.dns.objects import pod_address
from tests.dns.servers import Server

pytestmark = [pytest.mark.dns, pytest.mark.timeout(600)]

ZONE = "west.mesh.example."
BOTH_TRANSPORTS = pytest.mark.parametrize("tcp", [False, True], ids=["udp", "tcp"])


@pytest.fixture
def west(every_version: Fleet) -> Server:
    return every_version["west"]


def asked_by_a_peer(
    fleet: Fleet, name: str, kind: str, *, tcp: bool = False
) -> dns.message.Message:
    query = dns.message.make_query(name, kind)
    return fleet["west"].send(fleet["east"].host, query, port=EXPOSED_PORT, tcp=tcp)


@BOTH_TRANSPORTS
@pytest.mark.parametrize(
    "name",
    [
        "db-0.db.shop.svc.cluster.local.",
        "kubernetes.default.svc.cluster.local.",
        "db.example.org.",
        "db-0.db.shop.east.mesh.example.",
        "db-0.db.shop.north.mesh.example.",
        "mesh.example.",
        "example.",
        ".",
        # The zone at the wrong place of a name, or not as a whole label.
        f"{ZONE}example.org.",
        f"db-0.db.shop.north-{ZONE}",
        "10.0.102.10.in-addr.arpa.",
        "version.bind.",
    ],
)
def test_a_name_outside_the_zone_is_refused(every_version: Fleet, name: str, tcp: bool) -> None:
    reply = asked_by_a_peer(every_version, name, "A", tcp=tcp)
    assert (reply.rcode(), reply.answer) == (REFUSED, [])


@BOTH_TRANSPORTS
def test_a_name_of_the_zone_is_answered(every_version: Fleet, tcp: bool) -> None:
    reply = asked_by_a_peer(every_version, f"db-0.db.shop.{ZONE}", "A", tcp=tcp)
    assert reply.answer[0].to_text() == f"db-0.db.shop.{ZONE} 5 IN A {pod_address('west', 10)}"


@pytest.mark.parametrize("kind", ["AXFR", "IXFR"])
@pytest.mark.parametrize("name", [ZONE, f"shop.{ZONE}", f"svc.{ZONE}"])
def test_nobody_gets_the_whole_zone(every_version: Fleet, name: str, kind: str) -> None:
    reply = asked_by_a_peer(every_version, name, kind, tcp=True)
    assert reply.answer == []


def test_any_lists_nothing(every_version: Fleet) -> None:
    reply = asked_by_a_peer(every_version, f"db.shop.{ZONE}", "ANY")
    assert (reply.rcode(), reply.answer) == (NOERROR, [])


def test_the_software_says_nothing_about_itself(every_version: Fleet, west: Server) -> None:
    for name in ("version.bind.", "version.server.", "hostname.bind.", "id.server."):
        query = dns.message.make_query(name, "TXT", dns.rdataclass.CH)
        reply = west.send(every_version["east"].host, query, port=EXPOSED_PORT)
        assert (reply.rcode(), reply.answer) == (REFUSED, [])


def test_no_question_of_a_peer_gets_to_the_sites_resolver(every_version: Fleet) -> None:
    before = len(every_version.world.site.asked)
    for name in (ZONE, f"svc.{ZONE}", f"a.b.c.d.e.{ZONE}", f"db.example.org.{ZONE}", "."):
        for kind in ("A", "SOA", "NS", "DS", "DNSKEY", "ANY", "AXFR", "PTR"):
            asked_by_a_peer(every_version, name, kind, tcp=kind == "AXFR")
    asked_by_a_peer(every_version, "db.example.org.", "A")
    assert every_version.world.site.asked[before:] == []


def test_packets_that_make_no_sense_change_nothing(every_version: Fleet, west: Server) -> None:
    good = dns.message.make_query(f"db-0.db.shop.{ZONE}", "A").to_wire()
    noise = random.Random(5)
    every_version["east"].host.run(partial(_send_broken, west.host.address, good, noise))
    reply = asked_by_a_peer(every_version, f"db-0.db.shop.{ZONE}", "A")
    assert reply.rcode() == NOERROR
    words = west.log.read_text()
    assert "panic" not in words
    # It would have introduced itself once more.
    assert words.count("CoreDNS-1.") == 1


def _send_broken(address: str, good: bytes, noise: random.Random) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        for _ in range(500):
            broken = bytearray(good[: noise.randint(0, len(good))])
            for _ in range(min(len(broken), noise.randint(0, 4))):
                broken[noise.randrange(len(broken))] = noise.randrange(256)
            sender.sendto(bytes(broken), (address, EXPOSED_PORT))
