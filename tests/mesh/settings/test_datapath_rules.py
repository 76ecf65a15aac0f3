"""The rules about how packets travel, each broken once."""

from typing import Any

import pytest

from tests.mesh.settings.written import Config, changed, line, problems, read, shipped


def mesh(**keys: Any) -> Config:
    """The shipped config of east with these keys and the authority as its whole `mesh`."""
    return changed("mesh", {"authority": "east", **keys})


def test_native_routing_needs_its_range() -> None:
    assert line(mesh(routingMode="native")) == (
        "Pulumi.yaml: mesh.nativeRoutingCidr: is missing, and mesh.routingMode is native: "
        "write a range that holds every network.podCidr of the mesh"
    )


def test_native_routing_with_a_range_around_the_pods_is_taken() -> None:
    config = mesh(routingMode="native", nativeRoutingCidr="10.96.0.0/11", autoDirectNodeRoutes=True)
    assert str(read(config).mesh.native_routing_cidr) == "10.96.0.0/11"


def test_pods_outside_the_native_range_are_refused_in_their_own_file() -> None:
    config = mesh(routingMode="native", nativeRoutingCidr="10.102.0.0/16")
    assert line(config) == (
        "Pulumi.east.yaml: network.podCidr: '10.101.0.0/16' is not in mesh.nativeRoutingCidr, "
        "10.102.0.0/16: write a range of it, or a wider mesh.nativeRoutingCidr"
    )


@pytest.mark.parametrize(
    ("key", "value", "shown"),
    [("tunnelProtocol", "geneve", "'geneve'"), ("tunnelPort", 0, "0"), ("tunnelPort", 1, "1")],
)
def test_a_tunnel_beside_native_routing_is_refused(key: str, value: object, shown: str) -> None:
    config = mesh(routingMode="native", nativeRoutingCidr="10.0.0.0/8", **{key: value})
    assert line(config) == (
        f"Pulumi.yaml: mesh.{key}: {shown} means nothing with mesh.routingMode: native: "
        "take it out, or write mesh.routingMode: tunnel"
    )


@pytest.mark.parametrize(
    ("key", "value", "shown"),
    [
        ("nativeRoutingCidr", "10.0.0.0/8", "'10.0.0.0/8'"),
        ("autoDirectNodeRoutes", True, "true"),
    ],
)
def test_native_keys_beside_a_tunnel_are_refused(key: str, value: object, shown: str) -> None:
    assert line(mesh(**{key: value})) == (
        f"Pulumi.yaml: mesh.{key}: {shown} means nothing with mesh.routingMode: tunnel: "
        "take it out, or write mesh.routingMode: native"
    )


def test_the_shipped_tunnel_keys_are_both_told_when_native_routing_is_switched_on() -> None:
    config = shipped("east")
    config["mesh"] |= {"routingMode": "native", "nativeRoutingCidr": "10.0.0.0/8"}
    keys = {problem.key for problem in problems(config)}
    assert keys == {"mesh.tunnelProtocol", "mesh.tunnelPort"}


def test_direct_routes_switched_off_are_no_fault_of_a_tunnel() -> None:
    assert read(mesh(autoDirectNodeRoutes=False)).mesh.auto_direct_node_routes is False


@pytest.mark.parametrize("mtu", [0, 1280, 1450, 9216])
def test_sizes_an_ethernet_can_have_are_taken(mtu: int) -> None:
    assert read(mesh(mtu=mtu)).mesh.mtu == mtu


@pytest.mark.parametrize(
    ("mtu", "reason"), [(1279, "is too small"), (9217, "is too large"), (-1, "is too small")]
)
def test_other_sizes_are_refused(mtu: int, reason: str) -> None:
    assert line(mesh(mtu=mtu)) == (
        f"Pulumi.yaml: mesh.mtu: {mtu} {reason}: write 1280 to 9216, or 0 to let Cilium see"
    )


@pytest.mark.parametrize(
    ("key", "says"),
    [
        ("routingMode", "write tunnel or native"),
        ("encryption", "write none or wireguard"),
    ],
)
def test_the_choices_are_named(key: str, says: str) -> None:
    assert line(mesh(**{key: "ipsec"})).endswith(f"'ipsec' is none of the choices: {says}")
