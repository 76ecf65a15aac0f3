"""The rules between settings, each broken once."""

import pytest

from tests.mesh.settings.written import changed, line, problems, read


def test_an_id_beyond_the_mesh_is_refused() -> None:
    assert line(changed("cluster.id", 256)) == (
        "Pulumi.east.yaml: cluster.id: 256 is more than mesh.maxConnectedClusters, 255: "
        "write 1 to 255"
    )


def test_a_gateway_outside_the_node_network_is_refused() -> None:
    assert line(changed("network.gateway", "10.11.88.1")) == (
        "Pulumi.east.yaml: network.gateway: '10.11.88.1' is not in network.nodeCidr, "
        "10.11.84.0/22: write an address of it"
    )


@pytest.mark.parametrize("gateway", ["10.11.84.0", "10.11.87.255"])
def test_a_gateway_that_is_no_hosts_address_is_refused(gateway: str) -> None:
    assert line(changed("network.gateway", gateway)) == (
        f"Pulumi.east.yaml: network.gateway: '{gateway}' is an end of network.nodeCidr, "
        "10.11.84.0/22, and no host's: write another address of it"
    )


def test_a_node_outside_the_node_network_is_refused_by_its_place() -> None:
    assert line(changed("nodes.worker.addresses", ["10.11.85.12", "10.12.0.1"])) == (
        "Pulumi.east.yaml: nodes.worker.addresses[1]: '10.12.0.1' is not in network.nodeCidr, "
        "10.11.84.0/22: write another address of network.nodeCidr"
    )


@pytest.mark.parametrize("ignored", [["NumCPU", "Mem"], ["numcpu", "mem"], ["all"]])
def test_a_small_control_plane_is_taken_where_kubeadm_only_warns(ignored: list[str]) -> None:
    config = changed("nodes.ignorePreflightErrors", ignored)
    config["nodes"]["controlPlane"] |= {"cpus": 1, "memoryGib": 1}
    assert read(config).nodes.control_plane.cpus == 1


def test_an_ignored_check_of_kubeadm_hides_no_other() -> None:
    config = changed("nodes.ignorePreflightErrors", ["NumCPU"])
    config["nodes"]["controlPlane"] |= {"cpus": 1, "memoryGib": 1}
    assert line(config).startswith("Pulumi.east.yaml: nodes.controlPlane.memoryGib: 1 is too small")


TAKEN = {
    "10.11.84.0": "the first address of network.nodeCidr",
    "10.11.84.1": "network.gateway",
    "10.11.84.2": "network.nameServers[0]",
    "10.11.87.255": "the last address of network.nodeCidr",
}


@pytest.mark.parametrize("address", TAKEN)
def test_a_node_may_not_take_the_sites_own_addresses(address: str) -> None:
    assert line(changed("nodes.worker.addresses", [address])) == (
        f"Pulumi.east.yaml: nodes.worker.addresses[0]: '{address}' is {TAKEN[address]}: "
        "write another address of network.nodeCidr"
    )


@pytest.mark.parametrize("key", ["loadBalancer.etcdAddress", "loadBalancer.dnsAddress"])
@pytest.mark.parametrize("address", TAKEN)
def test_an_announced_address_may_not_be_the_sites_own(key: str, address: str) -> None:
    assert line(changed(key, address)) == (
        f"Pulumi.east.yaml: {key}: '{address}' is {TAKEN[address]}: "
        "write another address of network.nodeCidr"
    )


@pytest.mark.parametrize("address", TAKEN)
def test_an_announced_range_may_not_hold_the_sites_own_addresses(address: str) -> None:
    assert line(changed("loadBalancer.addresses", [f"{address}-{address}"])) == (
        f"Pulumi.east.yaml: loadBalancer.addresses[0]: '{address}-{address}' holds {address}, "
        f"which is {TAKEN[address]}: write a range without it"
    )


@pytest.mark.parametrize(
    ("key", "value", "named"),
    [
        ("etcdAddress", "10.11.88.20", "etcdAddress: '10.11.88.20'"),
        ("dnsAddress", "192.0.2.1", "dnsAddress: '192.0.2.1'"),
        ("addresses", ["10.11.87.200-10.11.88.9"], "addresses[0]: '10.11.87.200-10.11.88.9'"),
        ("addresses", ["10.11.88.0/28"], "addresses[0]: '10.11.88.0-10.11.88.15'"),
    ],
)
def test_what_is_announced_outside_the_node_network_is_refused(
    key: str, value: object, named: str
) -> None:
    says = line(changed(f"loadBalancer.{key}", value))
    assert f"loadBalancer.{named} is not in network.nodeCidr, 10.11.84.0/22: write" in says


@pytest.mark.parametrize(
    ("pods", "size", "says"),
    [
        (
            "10.101.0.0/24",
            20,
            "20 is a larger piece than network.podCidr, 10.101.0.0/24, is: write 26 or more",
        ),
        (
            "10.101.0.0/24",
            25,
            ("25 cuts network.podCidr, 10.101.0.0/24, into 2 pieces for 4 nodes: write 26 or more"),
        ),
        (
            "10.101.0.0/30",
            30,
            (
                "30 cuts network.podCidr, 10.101.0.0/30, into 1 pieces for 4 nodes: "
                "write a larger network.podCidr"
            ),
        ),
    ],
)
def test_a_pod_range_with_fewer_pieces_than_nodes_is_refused(
    pods: str, size: int, says: str
) -> None:
    config = changed("network.podCidr", pods)
    config["network"]["podCidrMaskSize"] = size
    assert line(config) == f"Pulumi.east.yaml: network.podCidrMaskSize: {says}"


def test_a_pod_range_of_just_enough_pieces_is_taken() -> None:
    config = changed("network.podCidr", "10.101.0.0/24")
    config["network"]["podCidrMaskSize"] = 26
    assert read(config).network.pod_cidr_mask_size == 26


@pytest.mark.parametrize(
    ("values", "key", "instead"),
    [
        ({"cluster": {"id": 7}}, "cluster", "set cluster.name and cluster.id instead"),
        (
            {"ipam": {"mode": "kubernetes"}},
            "ipam",
            "set network.podCidr and network.podCidrMaskSize instead",
        ),
        ({"clustermesh": {"config": {}}}, "clustermesh.config", "set peers instead"),
        (
            {"clustermesh": {"maxConnectedClusters": 511}},
            "clustermesh.maxConnectedClusters",
            "set mesh.maxConnectedClusters instead",
        ),
        (
            {"k8sServiceHost": "10.0.0.1"},
            "k8sServiceHost",
            "set nodes.controlPlane.addresses instead",
        ),
        (
            {"k8sServicePort": 443},
            "k8sServicePort",
            "leave it out, it is 6443 in every cluster",
        ),
        (
            {"routingMode": "native"},
            "routingMode",
            "set mesh.routingMode instead",
        ),
        (
            {"autoDirectNodeRoutes": True},
            "autoDirectNodeRoutes",
            "set mesh.autoDirectNodeRoutes instead",
        ),
        (
            {"ipv4NativeRoutingCIDR": "10.0.0.0/8"},
            "ipv4NativeRoutingCIDR",
            "set mesh.nativeRoutingCidr instead",
        ),
        ({"encryption": {"enabled": True}}, "encryption.enabled", "set mesh.encryption instead"),
        ({"encryption": {"type": "ipsec"}}, "encryption.type", "set mesh.encryption instead"),
        ({"tunnelPort": 8223}, "tunnelPort", "set mesh.tunnelPort instead"),
        ({"tunnelProtocol": None}, "tunnelProtocol", "set mesh.tunnelProtocol instead"),
    ],
)
def test_an_extra_value_that_peers_rely_on_is_refused(
    values: dict[str, object], key: str, instead: str
) -> None:
    assert line(changed("cilium.extraValues", values)) == (
        f"Pulumi.east.yaml: cilium.extraValues.{key}: overrides what the peers rely on: {instead}"
    )


@pytest.mark.parametrize(
    "values",
    [
        {"clustermesh": {"apiserver": {"service": {"type": "NodePort"}}}},
        {"clustermesh": {"apiserver": {"tls": {"authMode": "cluster"}}}},
        {"clustermesh": {"useAPIServer": False}},
        {"enableLBIPAM": True},
        {"kubeProxyReplacement": False},
        {"tls": {"ca": {"cert": "x"}}},
    ],
)
def test_an_extra_value_that_the_rest_of_the_cluster_relies_on_is_refused(
    values: dict[str, object],
) -> None:
    assert "overrides what the rest of this cluster relies on: leave it out" in line(
        changed("cilium.extraValues", values)
    )


def test_a_group_that_is_written_away_is_refused_by_its_own_key() -> None:
    [first, *_] = problems(changed("cilium.extraValues", {"encryption": None}))
    assert first.key == "cilium.extraValues.encryption"


@pytest.mark.parametrize("value", [None, False, []])
def test_extra_values_may_not_take_the_mesh_away(value: object) -> None:
    assert line(changed("cilium.extraValues", {"clustermesh": value})) == (
        "Pulumi.east.yaml: cilium.extraValues.clustermesh: takes the mesh away: "
        "write a group, or leave it out"
    )


def test_every_overriding_extra_value_is_told_at_once() -> None:
    values = {"cluster": {}, "tunnelPort": 1, "clustermesh": None, "envoy": {"enabled": False}}
    assert len(problems(changed("cilium.extraValues", values))) == 3


def test_the_extra_values_of_the_lab_are_taken() -> None:
    values = {
        "envoy": {"enabled": False},
        "l7Proxy": False,
        "securityContext": {"privileged": True},
        "clustermesh": {"apiserver": {"replicas": 2}},
    }
    assert read(changed("cilium.extraValues", values)).cilium.extra_values == values


def test_two_nodes_with_one_address_are_refused() -> None:
    assert line(changed("nodes.worker.addresses", ["10.11.85.11"])) == (
        "Pulumi.east.yaml: nodes.worker.addresses[0]: '10.11.85.11' is "
        "nodes.controlPlane.addresses[0] too: write an address of its own"
    )


def test_an_announced_address_that_is_a_nodes_is_refused() -> None:
    says = line(changed("loadBalancer.etcdAddress", "10.11.85.12"))
    assert "loadBalancer.etcdAddress: '10.11.85.12' is nodes.worker.addresses[0] too" in says


def test_a_range_may_not_hold_a_pinned_address() -> None:
    says = line(changed("loadBalancer.addresses", ["10.11.84.21-10.11.84.30"]))
    assert says == (
        "Pulumi.east.yaml: loadBalancer.addresses[0]: '10.11.84.21-10.11.84.30' holds "
        "10.11.84.21, which is loadBalancer.dnsAddress: write a range without it"
    )


def test_ranges_that_overlap_are_refused() -> None:
    ranges = ["10.11.84.22-10.11.84.30", "10.11.84.64/28", "10.11.84.30-10.11.84.40"]
    says = line(changed("loadBalancer.addresses", ranges))
    assert "loadBalancer.addresses[2]: '10.11.84.30-10.11.84.40' overlaps" in says


def test_rules_among_sound_groups_speak_while_another_group_is_wrong() -> None:
    config = changed("network.gateway", "10.11.88.1")
    config["cluster"]["name"] = "-"
    assert {problem.key for problem in problems(config)} == {"cluster.name", "network.gateway"}
