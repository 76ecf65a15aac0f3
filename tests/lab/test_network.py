"""The lab's network, in a namespace of the test's own: a running lab's is never touched."""

import itertools
import os
import subprocess
import time
from collections.abc import Iterator
from ipaddress import IPv4Interface
from pathlib import Path

import pytest
from pyroute2 import NetNS, netns

from lab import network
from mesh.nodes import nodes
from tests.lab.shipped import settings

NAMESPACE = f"mesh-test-{os.getpid()}"
ADDRESSES = [IPv4Interface("10.11.84.1/22"), IPv4Interface("10.11.84.2/22")]


@pytest.fixture(autouse=True)
def own_namespace(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(network, "NAMESPACE", NAMESPACE)


@pytest.fixture
def namespace(own_namespace: None) -> Iterator[str]:
    network.create(ADDRESSES)
    yield NAMESPACE
    network.remove()


@pytest.fixture
def machine(namespace: str) -> Iterator[int]:
    """The process id of something in a network namespace of its own."""
    with subprocess.Popen(["unshare", "--net", "sleep", "60"]) as process:
        await_own_network(process.pid)
        yield process.pid
        process.kill()


def await_own_network(pid: int) -> None:
    ours = Path("/proc/self/ns/net").stat().st_ino
    while Path(f"/proc/{pid}/ns/net").stat().st_ino == ours:
        time.sleep(0.01)


def bridge_addresses() -> list[str]:
    with NetNS(NAMESPACE) as links:
        index = links.link_lookup(ifname=network.BRIDGE)[0]
        found = links.get_addr(index=index, family=2)
        return sorted(f"{each.get_attr('IFA_ADDRESS')}/{each['prefixlen']}" for each in found)


def state_of(cable: str) -> str:
    with NetNS(NAMESPACE) as links:
        [index] = links.link_lookup(ifname=cable)
        message = links.get_links(index)[0]
        assert message.get_attr("IFLA_MASTER") == links.link_lookup(ifname=network.BRIDGE)[0]
        return "up" if message["flags"] & 1 else "down"


def test_the_cables_of_all_shipped_nodes_have_names_of_their_own() -> None:
    names = [node.name for stack in ("east", "west") for node in nodes(settings(stack))]
    assert len({network.cable_name(name) for name in names}) == len(names) == 8


def test_cables_of_short_cluster_names_are_unique_and_fit_the_kernel() -> None:
    clusters = ("a", "b", "east", "west", "north", "prod", "staging", "de1", "de2", "us-east")
    roles = [*(f"worker-{number}" for number in range(1, 200)), "control-plane-1"]
    names = [f"{cluster}-{role}" for cluster, role in itertools.product(clusters, roles)]
    cables = [network.cable_name(name) for name in names]
    assert len(set(cables)) == len(names)
    assert max(map(len, cables)) <= 15


@pytest.mark.parametrize(
    "clusters",
    [
        ("datacenter1", "datacenter2"),
        ("us-east-1", "us-east-12"),
        ("production-a", "production-ams"),
        ("eu-west", "eu-wales"),
    ],
)
def test_clusters_with_like_names_have_cables_of_their_own(clusters: tuple[str, str]) -> None:
    first, second = (network.cable_name(f"{cluster}-worker-1") for cluster in clusters)
    assert first != second


@pytest.mark.parametrize("name", ["x" * 40 + "-worker-1", "aquitaine-north-west-worker-12345"])
def test_a_long_name_makes_a_cable_that_fits_the_kernel(name: str) -> None:
    assert 0 < len(network.cable_name(name).encode()) <= 15


def test_a_command_enters_the_namespace_by_its_file() -> None:
    entering = network.command(["ip", "link"])
    assert entering == ["nsenter", f"--net=/run/netns/{NAMESPACE}", "--", "ip", "link"]


@pytest.mark.lab
@pytest.mark.usefixtures("namespace")
def test_the_bridge_has_the_sites_addresses_and_a_second_start_changes_nothing() -> None:
    assert bridge_addresses() == ["10.11.84.1/22", "10.11.84.2/22"]
    network.create(ADDRESSES)
    assert bridge_addresses() == ["10.11.84.1/22", "10.11.84.2/22"]


@pytest.mark.lab
@pytest.mark.usefixtures("namespace")
def test_a_half_made_network_is_completed() -> None:
    with NetNS(NAMESPACE) as links:
        links.link("del", index=links.link_lookup(ifname=network.BRIDGE)[0])
    network.create(ADDRESSES)
    assert bridge_addresses() == ["10.11.84.1/22", "10.11.84.2/22"]


@pytest.mark.lab
def test_it_has_no_way_out(namespace: str) -> None:
    asked = ["ip", "-netns", namespace, "-4", "route", "show", "default"]
    assert subprocess.run(asked, capture_output=True, check=True).stdout == b""


@pytest.mark.lab
def test_removing_it_leaves_nothing_and_may_be_done_twice() -> None:
    network.create(ADDRESSES)
    network.remove()
    assert NAMESPACE not in netns.listnetns()
    assert not network.namespace_file().exists()
    network.remove()


@pytest.mark.lab
def test_a_command_sees_the_lab_and_not_this_machine(namespace: str) -> None:
    command = network.command(["ip", "-brief", "address"])
    shown = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert "10.11.84.1/22" in shown
    assert sorted(line.split()[0] for line in shown.splitlines()) == ["lo", network.BRIDGE]


@pytest.mark.lab
def test_a_node_gets_its_network_card_and_may_be_cabled_again(machine: int) -> None:
    for _ in range(2):
        network.connect("east-worker-1", machine)
        card = ["nsenter", f"--target={machine}", "--net", "ip", "link", "show", "ens192"]
        assert subprocess.run(card, capture_output=True, check=False).returncode == 0
        assert state_of(network.cable_name("east-worker-1")) == "up"


@pytest.mark.lab
def test_nodes_of_clusters_with_like_names_are_cabled_side_by_side(machine: int) -> None:
    with subprocess.Popen(["unshare", "--net", "sleep", "60"]) as second:
        await_own_network(second.pid)
        network.connect("datacenter1-worker-1", machine)
        network.connect("datacenter2-worker-1", second.pid)
        for name in ("datacenter1-worker-1", "datacenter2-worker-1"):
            assert state_of(network.cable_name(name)) == "up"
        second.kill()
