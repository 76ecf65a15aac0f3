"""The values several settings share, over more of them than anyone would write down."""

import re
from ipaddress import IPv4Address, IPv4Network

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mesh.settings import Problem, SettingsError
from mesh.settings.load_balancer import address_range
from tests.mesh.settings.written import changed, line, read

KEYS = st.text("acdeghimnorsuvCM_-", max_size=12)
NO_RANGES = (IPv4Network("127.0.0.0/8"), IPv4Network("224.0.0.0/4"))
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=5,
)
PATHS = st.sampled_from(
    [
        "bogus",
        "charts.cilium",
        "cilium.extraValues",
        "cluster.id",
        "cluster.name",
        "cluster.zone",
        "loadBalancer.addresses",
        "mesh",
        "mesh.maxConnectedClusters",
        "network.podCidr",
        "network.nameServers",
        "nodes.controlPlane",
        "nodes.worker.addresses",
        "peers",
        "versions",
        "vsphere.server",
    ]
)


@given(path=PATHS, value=ANYTHING)
def test_whatever_is_written_is_settings_or_lines_that_name_the_key(
    path: str, value: object
) -> None:
    try:
        read(changed(path, value))
        said: tuple[Problem, ...] = ()
    except SettingsError as error:
        said = error.problems
    for problem in said:
        assert problem.key.startswith(path.partition(".")[0])
        assert problem.instead
        assert len(str(problem).splitlines()) == 1


@given(st.from_regex(r"[a-z0-9]([-a-z0-9]{0,30}[a-z0-9])?", fullmatch=True))
def test_every_name_cilium_takes_is_taken_but_default(name: str) -> None:
    assert name == "default" or read(changed("cluster.name", name)).cluster.name == name


@pytest.mark.parametrize("name", ["", "-", "a-", "-a", "East", "a.b", "a" * 33, "default", "é"])
def test_names_cilium_refuses_are_refused(name: str) -> None:
    assert line(changed("cluster.name", name)).startswith("Pulumi.east.yaml: cluster.name: ")


@pytest.mark.parametrize(
    "zone", ["mesh", "East.mesh", "a..b", "a.b.", ".a.b", "-a.b", "a_b.c", f"{'a' * 64}.b"]
)
def test_zones_that_are_no_lower_case_name_of_two_labels_are_refused(zone: str) -> None:
    assert line(changed("cluster.zone", zone)).startswith("Pulumi.east.yaml: cluster.zone: ")


@given(st.ip_addresses(v=4), st.integers(0, 32))
def test_a_network_is_taken_exactly_when_it_begins_where_its_range_begins(
    address: IPv4Address, prefix: int
) -> None:
    written, meant = f"{address}/{prefix}", IPv4Network(f"{address}/{prefix}", strict=False)
    config = changed("network.serviceCidr", written)
    if any(meant.overlaps(kept) for kept in NO_RANGES):
        assert "network.serviceCidr" in line(config)
    elif written == str(meant):
        assert read(config).network.service_cidr == meant
    else:
        assert line(config).endswith(f"write {meant}")


@pytest.mark.parametrize("key", ["podCidr", "serviceCidr"])
@pytest.mark.parametrize("value", ["127.0.0.0/16", "127.3.0.0/24", "0.0.0.0/1"])
def test_an_inner_range_with_loopback_addresses_is_refused(key: str, value: str) -> None:
    assert line(changed(f"network.{key}", value)) == (
        f"Pulumi.east.yaml: network.{key}: '{value}' holds loopback addresses: "
        "write one like 10.101.0.0/16"
    )


@pytest.mark.parametrize("key", ["nodeCidr", "podCidr", "serviceCidr"])
@pytest.mark.parametrize("value", ["239.1.0.0/16", "0.0.0.0/0", "192.0.0.0/2"])
def test_a_range_with_multicast_addresses_is_refused(key: str, value: str) -> None:
    assert line(changed(f"network.{key}", value)) == (
        f"Pulumi.east.yaml: network.{key}: '{value}' holds multicast addresses: "
        "write one like 10.101.0.0/16"
    )


@pytest.mark.parametrize(
    ("zone", "reason"),
    [
        ("cluster.local", "is in every cluster's own domain"),
        ("east.cluster.local", "is in every cluster's own domain"),
        ("east.local", "ends in .local, kept for mDNS"),
    ],
)
def test_a_zone_in_local_is_refused(zone: str, reason: str) -> None:
    assert line(changed("cluster.zone", zone)) == (
        f"Pulumi.east.yaml: cluster.zone: '{zone}' {reason}: write one like east.mesh.example"
    )


@pytest.mark.parametrize("key", ["vsphere.server", "images.registry"])
def test_a_host_with_a_scheme_is_refused(key: str) -> None:
    says = line(changed(key, "https://host.example.com/"))
    assert says.endswith(
        f"{key}: 'https://host.example.com/' begins with https://: write host.example.com"
    )


def test_a_token_cannot_live_longer_than_kubeadm_can_count() -> None:
    assert read(changed("lifetimes.bootstrapTokenHours", 2_500_000))
    says = line(changed("lifetimes.bootstrapTokenHours", 2_500_001))
    assert says.endswith("2500001 is too large: write 2500000 or less")


@given(st.ip_addresses(v=4), st.ip_addresses(v=4), st.ip_addresses(v=4))
def test_an_address_is_in_a_range_when_it_lies_between_its_ends(
    one: IPv4Address, other: IPv4Address, asked: IPv4Address
) -> None:
    first, last = sorted((one, other))
    addresses = address_range(f"{first}-{last}")
    assert (asked in addresses) == (first <= asked <= last)
    assert re.fullmatch(r"[\d.]+-[\d.]+", str(addresses))
