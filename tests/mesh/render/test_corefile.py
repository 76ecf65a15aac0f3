from typing import Any

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
