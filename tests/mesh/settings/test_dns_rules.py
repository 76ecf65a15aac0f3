"""Which names peers find and where they ask for them: each rule broken once."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mesh.acceptance.manifests import NAMESPACE
from tests.mesh.settings.written import Config, changed, line, problems, read, without

FILE = "Pulumi.east.yaml"
TAKE_OUT = "take it out, or write"


def dns(**keys: Any) -> Config:
    """The shipped config of east with these keys as its whole `dns`."""
    return changed("dns", keys)


def at_the_nodes(**keys: Any) -> Config:
    """East, asked for names at its nodes, with no address for it."""
    return without("loadBalancer.dnsAddress") | {"dns": {"exposure": "nodePort", **keys}}


def test_a_zone_behind_an_address_is_what_one_gets_without_a_word() -> None:
    own = read(dns()).dns
    assert (own.mode, own.exposure, own.namespaces) == ("zones", "loadBalancer", ())


def test_namespaces_are_exported_by_name() -> None:
    assert read(dns(mode="namespaces", namespaces=["east-1", "shop"])).dns.namespaces == (
        "east-1",
        "shop",
    )


@pytest.mark.parametrize("keys", [{}, {"namespaces": []}])
def test_the_mode_namespaces_needs_some(keys: dict[str, Any]) -> None:
    assert line(dns(mode="namespaces", **keys)) == (
        f"{FILE}: dns.namespaces: is missing, and dns.mode is namespaces: write one like [east-1]"
    )


@pytest.mark.parametrize("mode", ["zones", "domain"])
def test_namespaces_beside_another_mode_are_refused(mode: str) -> None:
    assert line(dns(mode=mode, namespaces=["east-1"])) == (
        f"{FILE}: dns.namespaces: means nothing with dns.mode: {mode}: "
        f"{TAKE_OUT} dns.mode: namespaces"
    )


def test_a_namespace_is_there_once() -> None:
    assert line(dns(mode="namespaces", namespaces=["shop", "east-1", "shop"])) == (
        f"{FILE}: dns.namespaces[2]: 'shop' is dns.namespaces[0] too: leave one of them out"
    )


@pytest.mark.parametrize(
    "name", ["default", "kube-system", "kube-dns", "metallb-system", NAMESPACE]
)
def test_a_namespace_that_every_cluster_has_is_no_ones_alone(name: str) -> None:
    [problem, *_] = problems(dns(mode="namespaces", namespaces=[name]))
    assert str(problem) == (
        f"{FILE}: dns.namespaces[0]: {name!r} is a namespace of every cluster: "
        "write one of this cluster's own"
    )


@pytest.mark.parametrize("name", ["East", "a.b", "-a", "a-", "", "a_b", "a" * 64])
def test_what_kubernetes_takes_for_no_namespace_is_refused(name: str) -> None:
    [problem, *_] = problems(dns(mode="namespaces", namespaces=[name]))
    assert str(problem).endswith("is not the name of a namespace: write one like east-1")


@given(st.from_regex(r"[a-z]([-a-z0-9]{0,61}[a-z0-9])?", fullmatch=True))
def test_every_other_name_of_a_namespace_is_taken(name: str) -> None:
    if not name.startswith("kube-") and name != "default":
        assert read(dns(mode="namespaces", namespaces=[name])).dns.namespaces == (name,)


def test_the_nodes_are_asked_at_a_port_without_any_address() -> None:
    settings = read(at_the_nodes())
    assert (settings.dns.node_port, settings.load_balancer.dns_address) == (30053, None)
    assert [key for key, _ in settings.load_balancer.dialled()] == ["loadBalancer.etcdAddress"]
    assert read(at_the_nodes(nodePort=32767)).dns.node_port == 32767


@pytest.mark.parametrize(("port", "reason"), [(53, "is too small"), (32768, "is too large")])
def test_a_port_that_kubernetes_gives_to_no_service_is_refused(port: int, reason: str) -> None:
    assert line(at_the_nodes(nodePort=port)).startswith(f"{FILE}: dns.nodePort: {port} {reason}")


@pytest.mark.parametrize("port", [30053, 31000])
def test_a_port_of_the_nodes_beside_an_address_is_refused(port: int) -> None:
    assert line(dns(nodePort=port)) == (
        f"{FILE}: dns.nodePort: {port} means nothing with dns.exposure: loadBalancer: "
        f"{TAKE_OUT} dns.exposure: nodePort"
    )


@pytest.mark.parametrize("address", ["10.11.84.21", "auto"])
def test_an_address_that_nobody_would_ask_is_refused(address: str) -> None:
    config = changed("loadBalancer.dnsAddress", address) | {"dns": {"exposure": "nodePort"}}
    assert line(config) == (
        f"{FILE}: loadBalancer.dnsAddress: {address!r} means nothing with "
        f"dns.exposure: nodePort: {TAKE_OUT} dns.exposure: loadBalancer"
    )


def test_an_address_is_missed_where_peers_ask_at_one() -> None:
    assert line(without("loadBalancer.dnsAddress")) == (
        f"{FILE}: loadBalancer.dnsAddress: is missing: "
        "write one like 10.11.84.21, or dns.exposure: nodePort"
    )
