"""The mesh is IPv4 only, and says so where IPv6 is written."""

import pytest

from mesh.settings.keys import setting_keys
from tests.mesh.settings.test_wrong_types import refusals, with_value

ADDRESSES = [
    "loadBalancer.bgp.peers.address",
    "loadBalancer.dnsAddress",
    "loadBalancer.etcdAddress",
    "network.gateway",
    "network.nameServers[0]",
    "nodes.controlPlane.addresses[0]",
    "nodes.worker.addresses[0]",
]
RANGES = [
    "loadBalancer.addresses[0]",
    "mesh.nativeRoutingCidr",
    "network.nodeCidr",
    "network.podCidr",
    "network.serviceCidr",
]


def said(key: str, value: str) -> str:
    [line] = {
        str(problem).partition(": ")[2].partition(": ")[2]
        for problem in refusals(with_value(key, key, value))
        if "IPv6" in problem.reason
    }
    return line


def test_every_address_and_range_of_the_settings_is_asked_here() -> None:
    written = {
        key
        for key, field in setting_keys().items()
        if any(kind in str(field) for kind in ("IPv4Address", "IPv4Network", "AddressRange"))
    }
    assert written == {key.removesuffix("[0]") for key in (*ADDRESSES, *RANGES)}


@pytest.mark.parametrize("key", [*ADDRESSES, *RANGES])
@pytest.mark.parametrize("value", ["fd00::1", "::1", "fe80::1%eth0"])
def test_an_address_of_ipv6_is_refused_by_name(key: str, value: str) -> None:
    line = said(key, value)
    assert line.startswith(f"'{value}' is an IPv6 address: write one like 10.")
    assert line.endswith("; the mesh is IPv4 only")


@pytest.mark.parametrize("key", [*ADDRESSES, *RANGES])
@pytest.mark.parametrize("value", ["fd00::/64", "2001:db8::/48"])
def test_a_range_of_ipv6_is_refused_by_name(key: str, value: str) -> None:
    assert said(key, value).startswith(f"'{value}' is an IPv6 range: write one like 10.")


@pytest.mark.parametrize("key", RANGES)
@pytest.mark.parametrize("value", ["10.0.0.0/16,fd00::/64", "fd00::/64, 10.0.0.0/16"])
def test_two_ranges_of_two_families_are_refused_by_name(key: str, value: str) -> None:
    assert said(key, value).startswith(f"'{value}' holds IPv6: write one like 10.")


def test_a_span_of_ipv6_addresses_is_refused_by_name() -> None:
    line = said("loadBalancer.addresses[0]", "fd00::10-fd00::20")
    assert line.startswith("'fd00::10-fd00::20' is an IPv6 range: ")
