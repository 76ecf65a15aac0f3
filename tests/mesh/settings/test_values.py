"""The values several settings share, over more of them than anyone would write down."""

import re
from ipaddress import IPv4Address, IPv4Network

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mesh.settings import Problem, SettingsError
from mesh.settings.load_balancer import address_range
from tests.mesh.settings.written import changed, line, read

KEYS = st.text("acdeghimnorsuvCM_-", max_size=12)
UNHURRIED = settings(deadline=None)  # a busy machine is no failure
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


@UNHURRIED
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


@UNHURRIED
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


@UNHURRIED
@given(st.ip_addresses(v=4), st.integers(0, 32))
def test_a_network_is_taken_exactly_when_it_begins_where_its_range_begins(
    address: IPv4Address, prefix: int
) -> None:
    written, meant = f"{address}/{prefix}", IPv4Network(f"{address}/{prefix}", strict=False)
    config = changed("network.podCidr", written)
    if written == str(meant):
        assert read(config).network.pod_cidr == meant
    else:
        assert line(config).endswith(f"write {meant}")


@UNHURRIED
@given(st.ip_addresses(v=4), st.ip_addresses(v=4), st.ip_addresses(v=4))
def test_an_address_is_in_a_range_when_it_lies_between_its_ends(
    one: IPv4Address, other: IPv4Address, asked: IPv4Address
) -> None:
    first, last = sorted((one, other))
    addresses = address_range(f"{first}-{last}")
    assert (asked in addresses) == (first <= asked <= last)
    assert re.fullmatch(r"[\d.]+-[\d.]+", str(addresses))
