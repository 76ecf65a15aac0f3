"""A mesh of all three modes, one of its clusters asked at its nodes: the same words everywhere."""

from collections.abc import Mapping
from pathlib import Path

import dns.message
import dns.reversename
import pytest
from dns.rcode import NOERROR, NXDOMAIN, REFUSED

from mesh.render.corefile import EXPOSED_PORT, corefile
from tests.dns.fleets import Fleet, World, watching
from tests.dns.mixed import NODE_PORT
from tests.dns.objects import EXPORTED, pod_address, service_address
from tests.dns.resolvers import RESOLVERS, Resolvers
from tests.dns.servers import Server, coredns
from tests.mesh.render.clusters import peers, settings

pytestmark = [pytest.mark.dns, pytest.mark.timeout(600)]

NAMESPACE = f"{EXPORTED}.svc.cluster.local."
DOMAIN = "north.mesh.example."
TTL = 5
PODS = {
    "east": ("shop.east.mesh.example.", "shop.svc.east.mesh.example."),
    "west": (NAMESPACE,),
    "north": (f"shop.{DOMAIN}", f"shop.svc.{DOMAIN}"),
}
"""Below what the pods of each cluster are found everywhere."""
FIRST = {"east": 10, "west": 33, "north": 10}
BELOW = [(owner, below) for owner, names in PODS.items() for below in names]
BOTH_TRANSPORTS = pytest.mark.parametrize("tcp", [False, True], ids=["udp", "tcp"])
EACH_NAME = pytest.mark.parametrize(("owner", "below"), BELOW)


@pytest.fixture(params=PODS)
def asked(request: pytest.FixtureRequest, every_mixed: Fleet) -> Server:
    """The CoreDNS that a pod asks: of the owner itself, and of peers of other modes."""
    return every_mixed[request.param]


def answers(reply: dns.message.Message) -> set[str]:
    return {line for rrset in reply.answer for line in rrset.to_text().splitlines()}


@BOTH_TRANSPORTS
@EACH_NAME
def test_a_pod_has_the_name_that_was_asked_for(
    asked: Server, owner: str, below: str, tcp: bool
) -> None:
    name = f"db-0.db.{below}"
    expected = {f"{name} {TTL} IN A {pod_address(owner, FIRST[owner])}"}
    assert answers(asked.ask(name, "A", tcp=tcp)) == expected


@EACH_NAME
def test_a_named_port_leads_to_pods_where_it_was_asked_for(
    asked: Server, owner: str, below: str
) -> None:
    name = f"_sql._tcp.db.{below}"
    reply = asked.ask(name, "SRV")
    pods = {f"db-{number}.db.{below}" for number in range(3)}
    assert answers(reply) == {f"{name} {TTL} IN SRV 0 33 26257 {pod}" for pod in pods}
    assert {rrset.name.to_text() for rrset in reply.additional} == pods


@EACH_NAME
def test_what_is_not_there_is_missing_and_what_lies_above_is_not(
    asked: Server, owner: str, below: str
) -> None:
    missing = asked.ask(f"db-9.db.{below}", "A")
    assert (missing.rcode(), missing.answer) == (NXDOMAIN, [])
    assert missing.authority[0].ttl <= TTL
    for name, kind in ((f"db-0.db.{below}", "AAAA"), (below, "A")):
        reply = asked.ask(name, kind)
        assert (reply.rcode(), reply.answer) == (NOERROR, [])


@pytest.mark.parametrize("name", ["", "svc.", "pod.", "shop.svc."])
def test_what_lies_above_a_name_of_the_domain_is_no_missing_name(asked: Server, name: str) -> None:
    reply = asked.ask(f"{name}{DOMAIN}", "A")
    assert (reply.rcode(), reply.answer) == (NOERROR, [])


def test_letters_of_any_size_come_back_as_they_were(asked: Server) -> None:
    for name, owner in (
        (f"Db-0.dB.{NAMESPACE.upper()}", "west"),
        ("DB-0.db.Shop.North.Mesh.Example.", "north"),
    ):
        reply = asked.ask(name, "A")
        assert reply.question[0].name.to_text() == name
        assert [rrset[0].to_text() for rrset in reply.answer] == [pod_address(owner, FIRST[owner])]


@pytest.mark.parametrize(
    ("name", "target", "address"),
    [
        ("inside", f"db-0.db.{NAMESPACE}", pod_address("west", 33)),
        ("outside", "db.example.org.", "192.0.2.10"),
    ],
)
def test_an_alias_in_an_exported_namespace_leads_on(
    asked: Server, name: str, target: str, address: str
) -> None:
    reply = asked.ask(f"{name}.{NAMESPACE}", "A")
    assert f"{name}.{NAMESPACE} {TTL} IN CNAME {target}" in answers(reply)
    [found] = [rrset[0].to_text() for rrset in reply.answer if rrset.name.to_text() == target]
    assert found == address


def test_an_exported_namespace_hides_those_of_its_name_and_no_other(every_mixed: Fleet) -> None:
    # Every cluster has one of that name, and `shop` too.
    own = every_mixed["east"].ask("db-0.db.shop.svc.cluster.local.", "A")
    assert own.answer[0][0].to_text() == pod_address("east", 10)
    hidden = every_mixed["east"].ask(f"db-0.db.{NAMESPACE}", "A")
    assert hidden.answer[0][0].to_text() == pod_address("west", 33)


def test_what_kubernetes_has_below_its_domain_is_there_as_ever(every_mixed: Fleet) -> None:
    north = every_mixed["north"]
    address = pod_address("north", 10)
    by_address = f"{address.replace('.', '-')}.shop.pod.{DOMAIN}"
    for name, kind, expected in (
        (by_address, "A", address),
        (f"front.shop.{DOMAIN}", "A", service_address("north")),
        (f"front.shop.svc.{DOMAIN}", "A", service_address("north")),
        (f"dns-version.{DOMAIN}", "TXT", '"1.1.0"'),
        (dns.reversename.from_address(address).to_text(), "PTR", f"db-0.db.shop.svc.{DOMAIN}"),
    ):
        assert [rrset[0].to_text() for rrset in north.ask(name, kind).answer] == [expected], name
    assert north.ask(f"kubernetes.default.svc.{DOMAIN}", "A").answer


def test_with_a_domain_of_its_own_a_cluster_has_no_cluster_local(every_mixed: Fleet) -> None:
    reply = every_mixed["north"].ask("db-0.db.shop.svc.cluster.local.", "A")
    assert (reply.rcode(), reply.answer) == (NXDOMAIN, [])


REFUSED_BY: Mapping[str, tuple[str, ...]] = {
    "west": (
        "db-0.db.shop.svc.cluster.local.",
        "db-0.db.shop.west.mesh.example.",
        "kubernetes.default.svc.cluster.local.",
        "svc.cluster.local.",
        f"not-{NAMESPACE}",
    ),
    "north": ("db-0.db.shop.svc.cluster.local.", f"db-0.db.{NAMESPACE}", f"not-{DOMAIN}"),
}


@BOTH_TRANSPORTS
@pytest.mark.parametrize(("owner", "port"), [("west", EXPOSED_PORT), ("north", NODE_PORT)])
def test_a_peer_gets_what_the_mode_exports_and_nothing_else(
    every_mixed: Fleet, owner: str, port: int, tcp: bool
) -> None:
    def asked_by_east(name: str) -> dns.message.Message:
        query = dns.message.make_query(name, "A")
        return every_mixed[owner].send(every_mixed["east"].host, query, port=port, tcp=tcp)

    for name in (*REFUSED_BY[owner], "db.example.org.", "example.", ".", "version.bind."):
        reply = asked_by_east(name)
        assert (reply.rcode(), reply.answer) == (REFUSED, []), name
    for below in PODS[owner]:
        reply = asked_by_east(f"db-0.db.{below}")
        assert reply.answer[0][0].to_text() == pod_address(owner, FIRST[owner])


def test_no_question_about_the_mesh_gets_to_the_sites_resolver(every_mixed: Fleet) -> None:
    before = len(every_mixed.world.site.asked)
    for server in every_mixed.servers.values():
        for zone in (NAMESPACE, DOMAIN, "east.mesh.example."):
            for name in ("", "db-0.db.shop.", "nowhere.", "a.b.c.d.e."):
                for kind in ("A", "SOA", "NS", "ANY"):
                    server.ask(f"{name}{zone}", kind)
    assert every_mixed.world.site.asked[before:] == []


@pytest.mark.parametrize("resolver", RESOLVERS)
@pytest.mark.parametrize("asker", ["east", "north"])
def test_every_resolver_finds_every_clusters_pods(
    mixed: Fleet, resolvers: Resolvers, asker: str, resolver: str
) -> None:
    server = mixed[asker]
    inside = resolvers.in_domain(server.domain)
    for owner, below in BELOW:
        pods = {pod_address(owner, FIRST[owner] + number) for number in range(3)}
        name = below.rstrip(".")
        found = [
            inside.addresses(resolver, server.host, f"{pod}db.{name}") for pod in ("db-0.", "")
        ]
        assert found == [{pod_address(owner, FIRST[owner])}, pods], name
    # What a pod's search list makes of a short name is the own cluster's.
    own = {pod_address(asker, 10)}
    assert inside.addresses(resolver, server.host, "db-0.db") == own


def test_a_file_that_names_as_many_nodes_as_coredns_takes_is_read(
    world: World, tmp_path: Path
) -> None:
    nodes = {
        "controlPlane": {"addresses": ["10.11.85.31"]},
        "worker": {"addresses": [f"10.11.87.{last}" for last in range(200, 240)]},
    }
    text = corefile(settings(), peers("north", dns={"exposure": "nodePort"}, nodes=nodes))
    assert text.count(":30053") == 15
    host = world.network.host("10.11.87.102")
    text = watching(text, world.apis["east"])
    with coredns(host, tmp_path, text, world.site.host.address) as server:
        reply = server.ask("db-0.db.shop.east.mesh.example.", "A")
        assert reply.answer[0][0].to_text() == pod_address("east", 10)
