"""What a CoreDNS of ours says about a name of a zone: at its owner, and at a peer of the owner."""

import random

import dns.flags
import dns.message
import dns.reversename
import pytest
from dns.rcode import NOERROR, NXDOMAIN
from dns.rdatatype import RdataType

from tests.dns.fleets import Fleet
from tests.dns.objects import CROWD, LONG, MANY, pod_address, service_address
from tests.dns.servers import Server

pytestmark = [pytest.mark.dns, pytest.mark.timeout(600)]

ZONE = "west.mesh.example."
TTL = 5
BOTH_TRANSPORTS = pytest.mark.parametrize("tcp", [False, True], ids=["udp", "tcp"])
BOTH_FORMS = pytest.mark.parametrize("form", ["", "svc."])


@pytest.fixture(params=["east", "west"])
def asked(request: pytest.FixtureRequest, every_version: Fleet) -> Server:
    """The CoreDNS that a pod asks: of a peer, and of the owner itself."""
    return every_version[request.param]


def answers(reply: dns.message.Message) -> set[str]:
    return {line for rrset in reply.answer for line in rrset.to_text().splitlines()}


@BOTH_TRANSPORTS
@BOTH_FORMS
def test_a_pod_of_a_headless_service_has_the_name_that_was_asked_for(
    asked: Server, form: str, tcp: bool
) -> None:
    name = f"db-0.db.shop.{form}{ZONE}"
    reply = asked.ask(name, "A", tcp=tcp)
    assert answers(reply) == {f"{name} {TTL} IN A {pod_address('west', 10)}"}


@BOTH_TRANSPORTS
@BOTH_FORMS
def test_a_named_port_leads_to_pods_in_the_same_zone(asked: Server, form: str, tcp: bool) -> None:
    name = f"_sql._tcp.db.shop.{form}{ZONE}"
    reply = asked.ask(name, "SRV", tcp=tcp)
    pods = {f"db-{number}.db.shop.{form}{ZONE}" for number in range(3)}
    assert answers(reply) == {f"{name} {TTL} IN SRV 0 33 26257 {pod}" for pod in pods}
    assert {rrset.name.to_text() for rrset in reply.additional} == pods


@BOTH_TRANSPORTS
def test_a_service_has_its_cluster_address(asked: Server, tcp: bool) -> None:
    reply = asked.ask(f"front.shop.{ZONE}", "A", tcp=tcp)
    assert answers(reply) == {f"front.shop.{ZONE} {TTL} IN A {service_address('west')}"}


@BOTH_TRANSPORTS
@pytest.mark.parametrize(
    ("name", "target", "address"),
    [
        ("inside", f"db-0.db.shop.{ZONE}", pod_address("west", 10)),
        ("elsewhere", "db-0.db.shop.north.mesh.example.", pod_address("north", 10)),
        ("outside", "db.example.org.", "192.0.2.10"),
    ],
)
def test_an_alias_leads_to_its_target_and_the_target_to_an_address(
    asked: Server, name: str, target: str, address: str, tcp: bool
) -> None:
    reply = asked.ask(f"{name}.shop.{ZONE}", "A", tcp=tcp)
    assert f"{name}.shop.{ZONE} {TTL} IN CNAME {target}" in answers(reply)
    assert [rrset[0].to_text() for rrset in reply.answer if rrset.name.to_text() == target] == [
        address
    ]


@pytest.mark.parametrize("kind", ["AAAA", "TXT", "MX", "NS", "HTTPS", "ANY"])
def test_a_name_without_such_a_record_is_still_a_name(asked: Server, kind: str) -> None:
    reply = asked.ask(f"db-0.db.shop.{ZONE}", kind)
    assert (reply.rcode(), reply.answer) == (NOERROR, [])
    assert authority(reply) == RdataType.SOA


@pytest.mark.parametrize("name", ["", "svc.", "shop.", "shop.svc."])
def test_what_lies_above_a_name_is_no_missing_name(asked: Server, name: str) -> None:
    # A resolver that learns there is no `svc.west.mesh.example.` may take all below for missing.
    reply = asked.ask(f"{name}{ZONE}", "A")
    assert (reply.rcode(), reply.answer) == (NOERROR, [])
    assert authority(reply) == RdataType.SOA


@BOTH_TRANSPORTS
@pytest.mark.parametrize("name", ["db-9.db.shop.", "nobody.shop.", "a.b.c.d.e.", "nowhere."])
def test_a_missing_name_is_missing_for_five_seconds(asked: Server, name: str, tcp: bool) -> None:
    reply = asked.ask(f"{name}{ZONE}", "A", tcp=tcp)
    assert (reply.rcode(), reply.answer) == (NXDOMAIN, [])
    assert authority(reply) == RdataType.SOA
    assert reply.authority[0].ttl <= TTL


def test_letters_of_any_size_are_one_name_and_come_back_as_they_were(asked: Server) -> None:
    mixed = "".join(random.choice((str.upper, str.lower))(c) for c in f"db-0.db.shop.{ZONE}")
    reply = asked.ask(mixed, "A")
    assert reply.question[0].name.to_text() == mixed
    assert [rrset[0].to_text() for rrset in reply.answer] == [pod_address("west", 10)]


def test_labels_may_be_as_long_as_labels_can_be(asked: Server) -> None:
    name = f"{LONG}.{LONG}.shop.{ZONE}"
    assert answers(asked.ask(name, "A")) == {f"{name} {TTL} IN A {pod_address('west', 20)}"}


def test_a_name_that_gets_too_long_by_its_rewriting_is_an_error_and_no_silence(
    asked: Server,
) -> None:
    # 255 bytes with the zone's name; `svc.cluster.local` is one longer.
    labels = [*["m" * 63] * 3, "m" * (255 - 3 * 64 - 2 - len(f"{ZONE}"))]
    reply = asked.ask(".".join([*labels, ZONE]), "A")
    assert reply.answer == []


@pytest.mark.parametrize(
    ("name", "last"),
    [
        ("west.mesh.example.", 21),
        ("east.mesh.example.", 22),
        ("db-0.west.east.", 23),
    ],
)
def test_a_zone_inside_a_name_is_a_part_of_the_name(asked: Server, name: str, last: int) -> None:
    reply = asked.ask(f"{name}{ZONE}", "A")
    assert answers(reply) == {f"{name}{ZONE} {TTL} IN A {pod_address('west', last)}"}


@pytest.mark.parametrize(
    ("name", "count", "payload", "cut"),
    [
        ("many", MANY, 0, True),
        ("many", MANY, 1232, False),
        ("crowd", CROWD, 1232, True),
    ],
)
def test_an_answer_that_is_too_long_says_so_and_comes_whole_by_tcp(
    asked: Server, name: str, count: int, payload: int, cut: bool
) -> None:
    by_udp = asked.ask(f"{name}.shop.{ZONE}", "A", payload=payload)
    assert bool(by_udp.flags & dns.flags.TC) is cut
    assert len(by_udp.to_wire()) <= max(payload, 512)
    whole = asked.ask(f"{name}.shop.{ZONE}", "A", payload=payload, tcp=True)
    assert not whole.flags & dns.flags.TC
    assert len(answers(whole)) == count


def test_an_address_leads_back_to_the_name_its_own_cluster_has_for_it(every_version: Fleet) -> None:
    address = dns.reversename.from_address(pod_address("west", 10)).to_text()
    own = every_version["west"].ask(address, "PTR")
    assert own.answer[0][0].to_text() == "db-0.db.shop.svc.cluster.local."
    # A peer does not know whose address it is: docs/known-gaps.md.
    assert every_version["east"].ask(address, "PTR").rcode() == NXDOMAIN


@pytest.mark.parametrize("searched", ["shop.svc.cluster.local.", "svc.cluster.local."])
def test_what_a_pods_search_list_makes_of_a_name_is_missing_at_home(
    every_version: Fleet, searched: str
) -> None:
    reply = every_version["east"].ask(f"db-0.db.shop.{ZONE}{searched}", "A")
    assert reply.rcode() == NXDOMAIN


def test_no_question_about_the_mesh_gets_to_the_sites_resolver(every_version: Fleet) -> None:
    # Other tests ask it on purpose.
    before = len(every_version.world.site.asked)
    for name in ("", "svc.", "db-0.db.shop.", "nowhere.", "a.b.c.d.e."):
        for kind in ("A", "SOA", "NS", "DNSKEY", "ANY"):
            for zone in (ZONE, "east.mesh.example."):
                every_version["east"].ask(f"{name}{zone}", kind)
    since = every_version.world.site.asked[before:]
    assert [asked for asked in since if "mesh.example" in asked] == []


def authority(reply: dns.message.Message) -> RdataType | None:
    """The kind of record that says how long there is nothing."""
    return next((rrset.rdtype for rrset in reply.authority), None)
