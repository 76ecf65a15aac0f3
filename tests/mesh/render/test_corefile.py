from typing import Any

import pytest

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
