from typing import Any

import pytest

from mesh.peer import Peer, peer
from mesh.render.corefile import corefile
from tests.mesh.render.clusters import peers, settings

KUBEADM = """\
.:53 {
    errors
    health {
       lameduck 5s
    }
    ready
    kubernetes cluster.local in-addr.arpa ip6.arpa {
       pods insecure
       fallthrough in-addr.arpa ip6.arpa
       ttl 30
    }
    prometheus :9153
    forward . /etc/resolv.conf {
       max_concurrent 1000
    }
    cache 30 {
       disable success cluster.local
       disable denial cluster.local
    }
    loop
    reload
    loadbalance
}
"""


def test_the_corefile_of_east_without_peers(snapshot: Any) -> None:
    assert snapshot == corefile(settings(), [])


def test_the_corefile_of_east_with_two_peers(snapshot: Any) -> None:
    assert snapshot == corefile(settings(), peers("west", "north"))


NAMESPACES = {"mode": "namespaces", "namespaces": ["west-1", "shop"]}
DOMAIN = {"mode": "domain"}


def test_the_corefile_of_a_cluster_that_exports_namespaces(snapshot: Any) -> None:
    assert snapshot == corefile(settings("west", dns=NAMESPACES), peers("east"))


def test_the_corefile_of_a_cluster_with_a_domain_of_its_own(snapshot: Any) -> None:
    assert snapshot == corefile(settings("west", dns=DOMAIN), peers("east"))


def test_the_corefile_of_a_cluster_whose_peers_are_of_other_modes(snapshot: Any) -> None:
    others = [*peers("west", dns=NAMESPACES), *peers("north", dns=DOMAIN)]
    assert snapshot == corefile(settings(), others)


@pytest.mark.parametrize("dns", [{}, NAMESPACES, DOMAIN], ids=["zones", "namespaces", "domain"])
def test_how_a_cluster_shows_itself_changes_nothing_of_what_it_asks(dns: dict[str, Any]) -> None:
    others = peers("north", dns={"exposure": "nodePort", "nodePort": 30153})
    text = corefile(settings("east", dns=dns), others)
    nodes = " ".join(f"10.11.85.3{last}:30153" for last in (2, 3, 4, 1))
    assert "north.mesh.example:53 {\n" in text
    assert f"    forward . {nodes} {{\n" in text
    at_nodes = settings("east", dns={**dns, "exposure": "nodePort"})
    assert corefile(at_nodes, others) == text


def test_without_forwarding_a_domain_of_its_own_stays_the_one_that_is_answered() -> None:
    text = corefile(settings(dns={**DOMAIN, "forwarding": False}), peers("west"))
    assert text == KUBEADM.replace("cluster.local", "east.mesh.example")


def moved(*, given_up: bool) -> list[Peer]:
    """West has `shop` now, and north exports it still, as its file does or no longer does."""
    keeps = peers("north", dns={"mode": "namespaces", "namespaces": ["north-1", "shop"]})
    exported = keeps[0].endpoint
    planned = peers("north", dns={"mode": "namespaces", "namespaces": ["north-1"]})[0].endpoint
    north = peer("north", planned if given_up else exported, exported)
    return [north, *peers("west", dns=NAMESPACES)]


def test_a_namespace_that_moves_is_asked_of_whose_file_has_it_and_stands_there_once() -> None:
    text = corefile(settings(), moved(given_up=True))
    assert text.count("shop.svc.cluster.local:53 {\n") == 1
    west = "    forward . 10.11.84.32:53 {\n"
    assert text.partition("shop.svc.cluster.local:53 {\n")[2].partition("}\n}\n")[0].count(west)
    assert "north-1.svc.cluster.local:53 {\n" in text


def test_a_namespace_of_ones_own_is_never_asked_of_another() -> None:
    own = settings(dns={"mode": "namespaces", "namespaces": ["shop"]})
    text = corefile(own, moved(given_up=False))
    assert "shop.svc.cluster.local:53 {\n" not in text
    assert text.count("shop.svc.cluster.local:1053 {\n") == 1


def test_without_forwarding_it_is_the_file_kubeadm_ships() -> None:
    assert corefile(settings(dns={"forwarding": False}), peers("west")) == KUBEADM


def test_peers_come_in_one_order_however_they_were_found() -> None:
    assert corefile(settings(), peers("north", "west")) == corefile(
        settings(), peers("west", "north")
    )


def test_a_peer_that_answers_nobody_is_not_asked() -> None:
    [west] = peers("west")
    silent = west.endpoint.as_output() | {"dns": {"addresses": [], "port": 53}}
    unasked = type(west)("west", type(west.endpoint).from_output(silent), "exported", "")
    assert corefile(settings(), [unasked]) == corefile(settings(), [])


@pytest.mark.parametrize(
    ("key", "value", "line"),
    [
        ("cacheSeconds", 10, "    cache 10 . {\n"),
        ("denialCacheSeconds", 30, "       denial 1024 30\n"),
        ("serveStaleSeconds", 60, "       serve_stale 60s verify\n"),
        ("expireSeconds", 20, "       expire 20s\n"),
    ],
)
def test_a_setting_is_one_line_of_every_peers_block(key: str, value: int, line: str) -> None:
    text = corefile(settings(dns={key: value}), peers("west", "north"))
    assert text.count(line) == 2
    assert line not in corefile(settings(), peers("west", "north"))


def test_nothing_stale_is_served_where_nobody_wants_it() -> None:
    text = corefile(settings(dns={"serveStaleSeconds": 0}), peers("west"))
    assert "serve_stale" not in text
