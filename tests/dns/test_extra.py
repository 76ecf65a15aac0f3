"""What a user adds to CoreDNS, and a cache in front of it, with real CoreDNS of every version."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import dns.message
import pytest
from dns.rcode import NOERROR, NXDOMAIN, REFUSED

from lab.paths import cache
from mesh.corefile.node_local import blocks_missing_in, missing_zones
from mesh.render.corefile import EXPOSED_PORT, corefile
from tests.dns.conftest import VERSIONS
from tests.dns.fleets import Fleet, at, watching
from tests.dns.objects import pod_address
from tests.dns.servers import Server, coredns
from tests.dns.verdicts import CoreDns
from tests.lab.conftest import located
from tests.mesh.render.clusters import settings
from tests.mesh.topology.added import TAKEN

pytestmark = [pytest.mark.dns, pytest.mark.timeout(600)]

OF_EAST, OF_WEST = "db-0.db.shop.east.mesh.example.", "db-0.db.shop.west.mesh.example."
ZONES = ["east.mesh.example", "west.mesh.example"]
EXTRA = {
    "plugins": """\
        log
        hosts {
          192.0.2.77 files.other.example
          fallthrough
        }
        rewrite name suffix .old.example. .shop.svc.cluster.local. answer auto
        rewrite name suffix .mesh.example. .shop.svc.cluster.local. answer auto
        """,
    "servers": """\
        corp.example, 198.51.100.0/24 {   # ours
          template IN A corp.example { answer "{{ .Name }} 60 IN A 192.0.2.99" }
          template IN PTR { answer "{{ .Name }} 60 IN PTR a.corp.example." }
        }
        moved.example {
          rewrite name suffix .moved.example. .shop.svc.cluster.local. answer auto
          cache 5 .
          forward . 127.0.0.1
        }
        """,
}
NODE_LOCAL = """\
cluster.local:53 {{
    errors
    cache {{
        success 9984 30
        denial 9984 5
    }}
    reload
    loop
    bind {own}
    forward . {upstream} {{
        force_tcp
    }}
}}
.:53 {{
    errors
    cache 30
    bind {own}
    forward . {site}
}}
"""
"""Kubernetes' nodelocaldns.yaml, with what is filled in on a node."""


@pytest.fixture(scope="module", params=VERSIONS)
def program(request: pytest.FixtureRequest) -> str:
    return str(located("LAB_BIN", cache() / "bin", request.param) / request.param)


@pytest.fixture(scope="module")
def east(ours: Fleet, program: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """East once more, with what its user adds."""
    world = ours.world
    others = [at("west", ours["west"].host.address)]
    text = corefile(settings("east", dns={"extra": EXTRA}), others)
    host = world.network.host(f"10.11.87.{10 + VERSIONS.index(Path(program).name)}")
    text = watching(text, world.apis["east"])
    with coredns(
        host, tmp_path_factory.mktemp("extra"), text, world.site.host.address, program
    ) as server:
        yield server


@pytest.mark.parametrize(("key", "text"), TAKEN)
def test_what_is_taken_here_is_taken_by_coredns(
    program: str, tmp_path: Path, key: str, text: str
) -> None:
    extra = {key.removeprefix("dns.extra."): text}
    rendered = corefile(settings("east", dns={"extra": extra}), [])
    rendered = rendered.replace("pods insecure\n", f"kubeconfig {tmp_path}/kubeconfig\n")
    core_dns = CoreDns(program, tmp_path)
    assert core_dns.takes_file(rendered), core_dns.said_last


@pytest.mark.parametrize(
    ("name", "address"),
    [
        ("any.corp.example.", "192.0.2.99"),
        ("files.other.example.", "192.0.2.77"),
        ("db.example.org.", "192.0.2.10"),
        ("db-0.db.old.example.", pod_address("east", 10)),
        ("db-0.db.moved.example.", pod_address("east", 10)),
        (OF_EAST, pod_address("east", 10)),
        (OF_WEST, pod_address("west", 10)),
    ],
)
def test_added_names_are_found_and_those_of_the_mesh_as_before(
    east: Server, name: str, address: str
) -> None:
    for _ in range(2):  # the second from the cache
        reply = east.ask(name, "A")
        assert [(rrset.name.to_text(), rrset[0].to_text()) for rrset in reply.answer] == [
            (name, address)
        ]


def test_addresses_of_an_added_range_lead_to_names(east: Server) -> None:
    reply = east.ask("9.100.51.198.in-addr.arpa.", "PTR")
    assert reply.answer[0][0].to_text() == "a.corp.example."


@pytest.mark.parametrize("name", ["any.corp.example.", "files.other.example."])
def test_peers_get_nothing_of_what_is_added(ours: Fleet, east: Server, name: str) -> None:
    query = dns.message.make_query(name, "A")
    reply = east.send(ours["west"].host, query, port=EXPOSED_PORT)
    assert (reply.rcode(), reply.answer) == (REFUSED, [])


@pytest.fixture(scope="module")
def caches(
    ours: Fleet, program: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[str, Server]]:
    """A node's cache in front of east's CoreDNS: as it is shipped, and with what it lacked."""
    world, number = ours.world, 2 * VERSIONS.index(Path(program).name)
    with ExitStack() as ends:
        found = {}
        for last, name in enumerate(("shipped", "completed")):
            host = world.network.host(f"10.11.87.{20 + number + last}")
            text = NODE_LOCAL.format(
                own=host.address, upstream=ours["east"].host.address, site=world.site.host.address
            )
            if name == "completed":
                text += blocks_missing_in(text, ZONES)
            site = world.site.host.address
            started = coredns(host, tmp_path_factory.mktemp(name), text, site, program)
            found[name] = ends.enter_context(started)
        yield found


def test_a_nodes_cache_finds_the_mesh_only_with_the_blocks_it_lacks(
    caches: dict[str, Server],
) -> None:
    for name, address in ((OF_EAST, pod_address("east", 10)), (OF_WEST, pod_address("west", 10))):
        assert caches["shipped"].ask(name, "A").rcode() == NXDOMAIN
        reply = caches["completed"].ask(name, "A")
        assert [rrset[0].to_text() for rrset in reply.answer] == [address]


def test_a_nodes_cache_finds_all_else_as_before(caches: dict[str, Server]) -> None:
    for one in caches.values():
        own = one.ask("db-0.db.shop.svc.cluster.local.", "A")
        assert own.answer[0][0].to_text() == pod_address("east", 10)
        assert one.ask("db.example.org.", "A").rcode() == NOERROR
        assert one.ask("nowhere.example.org.", "A").rcode() == NXDOMAIN


def test_what_was_told_to_be_missing_is_what_is_not_found(caches: dict[str, Server]) -> None:
    for server in caches.values():
        missing = missing_zones((server.log.parent / "Corefile").read_text(), ZONES)
        for zone in ZONES:
            found = server.ask(f"db-0.db.shop.{zone}.", "A").rcode() == NOERROR
            assert found is (zone not in missing)
