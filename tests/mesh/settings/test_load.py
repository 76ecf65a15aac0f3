"""What a user reads when a setting is wrong, and what the program gets when none is."""

from ipaddress import IPv4Address, IPv4Network

import pytest
from pydantic import ValidationError

from mesh.settings import SettingsError, config_from_engine, settings_from_config
from tests.mesh.settings.written import changed, line, problems, read, shipped, without


@pytest.mark.parametrize("stack", ["east", "west"])
def test_the_shipped_stack_files_are_read_without_a_problem(stack: str) -> None:
    settings = settings_from_config(f"Pulumi.{stack}.yaml", shipped(stack))
    assert settings.cluster.name == stack
    assert settings.network.node_cidr == IPv4Network("10.11.84.0/22")
    assert settings.nodes.control_plane.memory_gib == 8


def test_the_shipped_files_say_what_the_defaults_say() -> None:
    config = shipped("east")
    for group in ("versions", "charts", "images", "lifetimes", "dns", "cilium"):
        del config[group]
    config["mesh"] = {"authority": "east"}
    for size in ("cpus", "memoryGib", "diskGib"):
        del config["nodes"]["controlPlane"][size], config["nodes"]["worker"][size]
    for key in (
        "sshAuthorizedKeys",
        "protectControlPlanes",
        "ignorePreflightErrors",
        "readyTimeoutMinutes",
    ):
        del config["nodes"][key]
    for key in ("searchDomains", "ntpServers", "podCidrMaskSize"):
        del config["network"][key]
    del config["vsphere"]["allowUnverifiedTls"]
    assert read(config) == read(shipped("east"))


def test_public_ranges_are_accepted() -> None:
    assert read(changed("network.podCidr", "101.96.0.0/16")).network.pod_cidr.is_global


def test_settings_cannot_be_changed() -> None:
    with pytest.raises(ValidationError):
        read(shipped("east")).cluster.name = "west"  # type: ignore[misc]


def test_the_secret_password_is_a_known_key_and_no_setting() -> None:
    assert read(changed("vcenterPassword", "hush")) == read(shipped("east"))


@pytest.mark.parametrize(
    ("path", "value", "says"),
    [
        (
            "network.podCidr",
            "10.1/8",
            "network.podCidr: '10.1/8' is not a network: write one like 10.101.0.0/16",
        ),
        (
            "network.podCidr",
            "10.101.3.0/16",
            (
                "network.podCidr: '10.101.3.0/16' does not begin where its range begins: "
                "write 10.101.0.0/16"
            ),
        ),
        (
            "network.gateway",
            10,
            "network.gateway: 10 is not an IPv4 address: write one like 10.11.84.1",
        ),
        ("network.gateway", None, "network.gateway: is empty: write one like 10.11.84.1"),
        (
            "network.nameServers",
            [],
            "network.nameServers: is an empty list: write one like [10.11.84.2]",
        ),
        (
            "network.podCidrs",
            "x",
            "network.podCidrs: is not a setting: did you mean podCidr?",
        ),
        (
            "network.pod_cidr",
            "x",
            "network.pod_cidr: is not a setting: did you mean podCidr?",
        ),
        (
            "vcenterpassword",
            "x",
            "vcenterpassword: is not a setting: did you mean vcenterPassword?",
        ),
        (
            "nodes.worker.gpus",
            1,
            "nodes.worker.gpus: is not a setting: did you mean cpus?",
        ),
        (
            "dns.zone",
            "x",
            "dns.zone: is not a setting: write it as cluster.zone",
        ),
        (
            "cilium.colour",
            "x",
            "cilium.colour: is not a setting: write one of extraValues",
        ),
        (
            "podCIDR",
            "x",
            "podCIDR: is not a setting: write it as network.podCidr",
        ),
        (
            "nodes.addresses",
            ["10.11.85.11"],
            (
                "nodes.addresses: is not a setting: "
                "write it as nodes.controlPlane.addresses or nodes.worker.addresses"
            ),
        ),
        (
            "nodes.worker.cpus",
            True,
            "nodes.worker.cpus: true is not a whole number: write one like 8",
        ),
        (
            "nodes.worker.cpus",
            "8",
            "nodes.worker.cpus: '8' is not a whole number: write one like 8",
        ),
        (
            "dns.forwarding",
            "no",
            "dns.forwarding: 'no' is neither true nor false: write true or false",
        ),
        (
            "peers",
            None,
            "peers: is empty: write [] for no peers, or leave it out for all of them",
        ),
        (
            "nodes.worker.cpus",
            "many",
            "nodes.worker.cpus: 'many' is not a whole number: write one like 8",
        ),
        ("nodes.worker.cpus", 0, "nodes.worker.cpus: 0 is too small: write 1 or more"),
        (
            "nodes.worker.addresses",
            "10.11.85.12",
            (
                "nodes.worker.addresses: '10.11.85.12' is not a list: "
                "write one like [10.11.85.12, 10.11.85.13]"
            ),
        ),
        (
            "nodes.controlPlane.addresses",
            ["10.11.85.11", "10.11.85.15", "10.11.85.16"],
            (
                "nodes.controlPlane.addresses: are 3 control planes: "
                "write exactly one address; several need a virtual IP, which is not built yet"
            ),
        ),
        (
            "vsphere.allowUnverifiedTls",
            "maybe",
            "vsphere.allowUnverifiedTls: 'maybe' is neither true nor false: write true or false",
        ),
        ("vsphere.user", "", "vsphere.user: '' is empty: write a name"),
        (
            "vsphere.folder",
            7,
            "vsphere.folder: 7 is not text: put it in quotes, '7'",
        ),
        (
            "loadBalancer.addresses",
            ["10.11.84.30-10.11.84.22"],
            (
                "loadBalancer.addresses[0]: '10.11.84.30-10.11.84.22' ends before it begins: "
                "write 10.11.84.22-10.11.84.30"
            ),
        ),
        (
            "cluster",
            "east",
            (
                "cluster: 'east' is not a group of settings: "
                "write its settings below it, as the shipped Pulumi.east.yaml does"
            ),
        ),
    ],
)
def test_a_wrong_value_is_answered_with_file_key_value_reason_and_cure(
    path: str, value: object, says: str
) -> None:
    assert line(changed(path, value)) == f"Pulumi.east.yaml: {says}"


def test_a_missing_key_is_named_with_an_example() -> None:
    says = "Pulumi.east.yaml: vsphere.portGroup: is missing: write one like Nodes"
    assert line(without("vsphere.portGroup")) == says


def test_a_setting_of_all_clusters_is_looked_for_in_the_project_file() -> None:
    says = "Pulumi.yaml: mesh.maxConnectedClusters: 300 is none of the choices: write 255 or 511"
    assert line(changed("mesh.maxConnectedClusters", 300)) == says


def test_a_setting_that_may_stand_in_either_file_names_both() -> None:
    says = line(changed("versions.cilium", "v1.20.2"))
    assert says == (
        "Pulumi.yaml or Pulumi.east.yaml: versions.cilium: 'v1.20.2' is not a full version: "
        "write 1.20.2, without a v"
    )


def test_every_problem_of_every_key_is_told_at_once() -> None:
    config = changed("network.podCidr", "nonsense")
    config["cluster"] |= {"name": "Default!", "id": 256}
    config["vsphere"]["color"] = "blue"
    config["loadBalancer"]["dnsAddress"] = config["loadBalancer"]["etcdAddress"]
    config["bogus"] = {}
    found = {problem.key for problem in problems(config)}
    assert found == {
        "network.podCidr",
        "cluster.name",
        "vsphere.color",
        "loadBalancer.dnsAddress",
        "bogus",
    }


def test_the_error_is_lines_for_people_and_nothing_of_pydantic() -> None:
    with pytest.raises(SettingsError) as caught:
        read({})
    text = str(caught.value)
    assert len(text.splitlines()) == len(caught.value.problems) == 6
    assert "pydantic" not in text
    assert "validation error" not in text


@pytest.mark.parametrize(
    ("chart", "reason"),
    [
        ({"chart": "cilium"}, "names the chart cilium and no repository"),
        (
            {"chart": "oci://r.example/cilium", "repository": "https://helm.cilium.io"},
            "names the chart oci://r.example/cilium and a repository",
        ),
        (
            {"chart": "./charts/cilium", "repository": "https://helm.cilium.io"},
            "names the chart ./charts/cilium and a repository",
        ),
    ],
)
def test_a_chart_is_found_in_exactly_one_way(chart: dict[str, str], reason: str) -> None:
    assert reason in line(changed("charts.cilium", chart))


@pytest.mark.parametrize("chart", ["oci://r.example/cilium", "./charts/cilium", "/srv/cilium.tgz"])
def test_a_chart_may_come_from_a_registry_or_a_path(chart: str) -> None:
    assert read(changed("charts.cilium", {"chart": chart})).charts.cilium.repository is None


def test_only_the_projects_own_keys_are_taken_from_the_engine_and_no_secret() -> None:
    engine = {
        "vsphere-cluster-mesh:cluster": '{"id":1,"name":"east"}',
        "vsphere-cluster-mesh:peers": '["west"]',
        "vsphere-cluster-mesh:bogus": "10",
        "vsphere-cluster-mesh:vcenterPassword": "hush",
        "pulumi:disable-default-providers": '["*"]',
    }
    assert config_from_engine(engine, "vsphere-cluster-mesh") == {
        "cluster": {"id": 1, "name": "east"},
        "peers": ["west"],
        "bogus": "10",
    }


def test_ranges_are_read_as_first_and_last_address() -> None:
    ranges = ["10.11.84.22 - 10.11.84.30", "10.11.84.48/28"]
    first, second = read(changed("loadBalancer.addresses", ranges)).load_balancer.addresses
    assert str(first) == "10.11.84.22-10.11.84.30"
    assert str(second) == "10.11.84.48-10.11.84.63"
    assert IPv4Address("10.11.84.63") in second
