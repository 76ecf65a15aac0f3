import re
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

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
LABELS = st.lists(st.from_regex(r"[a-z]([a-z0-9-]{0,8}[a-z0-9])?", fullmatch=True), min_size=1)


def rewritten(text: str, name: str) -> str:
    """The name as CoreDNS looks it up: the first suffix that fits is swapped."""
    for rule in re.finditer(r"rewrite stop name suffix (\S+) (\S+) answer auto", text):
        if name.endswith(rule[1]):
            return name.removesuffix(rule[1]) + rule[2]
    return name


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


@given(LABELS)
def test_every_name_of_the_zone_is_looked_up_in_the_cluster(labels: list[str]) -> None:
    text = corefile(settings(), [])
    name = ".".join(labels)
    expected = f"{name}.svc.cluster.local."
    assert rewritten(text, f"{name}.svc.east.mesh.example.") == expected
    if labels[-1] != "svc":
        assert rewritten(text, f"{name}.east.mesh.example.") == expected


@given(
    LABELS, st.sampled_from(["north-east.mesh.example", "east.mesh.example.org", "mesh.example"])
)
def test_a_name_of_another_zone_stays_as_it_is(labels: list[str], zone: str) -> None:
    name = f"{'.'.join(labels)}.{zone}."
    if not name.endswith(".east.mesh.example."):
        assert rewritten(corefile(settings(), []), name) == name
