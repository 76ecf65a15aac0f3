"""What the configuration refuses, and what it takes from where."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pulumi
import pytest

from tests.mocks import NAME, PROJECT, config_of, run_program

PASSWORD = f"{NAME}:vcenterPassword"
PASSWORD_COMMAND = "run pulumi config set --secret vcenterPassword -s east"
Encrypted = Callable[..., None]


@pytest.fixture
def encrypted(monkeypatch: pytest.MonkeyPatch) -> Encrypted:
    """Choose the keys that the engine tells to be secret."""
    handed_over = pulumi.runtime.set_all_config

    def choose(*keys: str) -> None:
        secret = [f"{NAME}:{key}" for key in keys]
        monkeypatch.setattr(
            pulumi.runtime, "set_all_config", lambda config, _: handed_over(config, secret)
        )

    return choose


def with_peers(*stacks: str) -> dict[str, str]:
    return config_of("east") | {f"{NAME}:peers": json.dumps(stacks)}


def changed(group: str, **values: object) -> dict[str, str]:
    config = config_of("east")
    key = f"{NAME}:{group}"
    return config | {key: json.dumps(json.loads(config[key]) | values)}


def lines(config: dict[str, str]) -> list[str]:
    with pytest.raises(pulumi.RunError) as refused:
        run_program("east", config=config)
    return str(refused.value).splitlines()


def test_every_other_stack_file_is_a_peer_unless_peers_are_named() -> None:
    assert set(run_program("east").outputs["peers"]) == {"west"}
    assert run_program("east", config=with_peers()).outputs["peers"] == {}


def test_a_cluster_that_peers_with_itself_is_refused() -> None:
    assert lines(with_peers("east", "west")) == [
        (
            "Pulumi.east.yaml: peers: 'east' is this stack itself: "
            "take it out, no cluster is its own peer"
        )
    ]


def test_an_authority_without_a_stack_file_is_refused_in_the_project_file() -> None:
    assert lines(changed("mesh", authority="north")) == [
        (
            "Pulumi.yaml: mesh.authority: 'north' is no stack with a file here: "
            "write one of east, west, or add Pulumi.north.yaml"
        )
    ]


def test_a_missing_password_is_told_together_with_all_else() -> None:
    config = changed("cluster", name="-")
    del config[PASSWORD]
    bad_name, no_password = lines(config)
    assert "cluster.name" in bad_name
    assert no_password == f"Pulumi.east.yaml: vcenterPassword: is missing: {PASSWORD_COMMAND}"


def test_a_password_in_plain_text_is_refused_and_never_printed(encrypted: Encrypted) -> None:
    encrypted()
    assert lines(config_of("east")) == [
        f"Pulumi.east.yaml: vcenterPassword: is given as plain text: {PASSWORD_COMMAND}"
    ]


def test_a_secret_setting_is_refused_and_never_printed(encrypted: Encrypted) -> None:
    encrypted("vcenterPassword", "network")
    [says] = lines(changed("network", podCidr="hush", gateway="10.99.99.99"))
    assert says.startswith("Pulumi.east.yaml: network: is secure: write it in plain, or leave")


def test_a_secret_setting_is_told_once_and_by_its_place_in_the_file(
    encrypted: Encrypted, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for file in PROJECT.glob("Pulumi*.yaml"):
        shutil.copy(file, tmp_path)
    path = tmp_path / "Pulumi.east.yaml"
    text = path.read_text().replace("podCidr: 10.101.0.0/16", "podCidr: {secure: v1:abc}")
    path.write_text(text + "  vsphere-cluster-mesh:versions: {secure: v1:abc}\n")
    monkeypatch.setattr(pulumi, "get_root_directory", lambda: str(tmp_path))
    encrypted("vcenterPassword", "network", "versions")
    keys = [line.split(": ")[1] for line in lines(config_of("east"))]
    assert keys == ["network.podCidr", "versions"]


def test_a_named_peer_whose_file_is_wrong_is_not_said_to_have_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for file in PROJECT.glob("Pulumi*.yaml"):
        shutil.copy(file, tmp_path)
    (tmp_path / "Pulumi.west.yaml").write_text("config: [")
    monkeypatch.setattr(pulumi, "get_root_directory", lambda: str(tmp_path))
    [says] = lines(with_peers("west"))
    assert "Pulumi.west.yaml" in says
    assert "is not YAML" in says


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The shipped files in a directory of their own, for a test to change."""
    for file in PROJECT.glob("Pulumi*.yaml"):
        shutil.copy(file, tmp_path)
    monkeypatch.setattr(pulumi, "get_root_directory", lambda: str(tmp_path))
    return tmp_path


def replace_in(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert text.count(old) == 1
    path.write_text(text.replace(old, new))


def test_a_copy_of_a_stack_file_is_refused_with_every_clash_named(project: Path) -> None:
    shutil.copy(project / "Pulumi.east.yaml", project / "Pulumi.copy.yaml")
    said = lines(config_of("east"))
    assert all(line.startswith("Pulumi.east.yaml: ") and " of copy" in line for line in said)
    assert [line.split(": ")[1] for line in said] == [
        "cluster.name",
        "cluster.id",
        "cluster.zone",
        "network.podCidr",
        "loadBalancer.etcdAddress",
        "loadBalancer.dnsAddress",
        "loadBalancer.addresses[0]",
        "nodes.controlPlane.addresses[0]",
        "nodes.worker.addresses[0]",
        "nodes.worker.addresses[1]",
        "nodes.worker.addresses[2]",
        "vsphere.folder",
    ]


def test_a_mistake_in_one_file_hides_none_between_the_others(project: Path) -> None:
    shutil.copy(project / "Pulumi.west.yaml", project / "Pulumi.north.yaml")
    replace_in(project / "Pulumi.north.yaml", "id: 2 ", "id: 3 ")
    said = lines(changed("network", podCidr="10.1/8"))
    assert said[0].startswith("Pulumi.east.yaml: network.podCidr: '10.1/8' is not a network")
    assert any("Pulumi.west.yaml: cluster.name: 'west' is cluster.name of north" in s for s in said)


def test_the_problems_of_a_sibling_with_another_are_told_to_every_stack(project: Path) -> None:
    replace_in(
        project / "Pulumi.west.yaml", "# vsphere-cluster-mesh:peers: [east]", "peers: [eats]"
    )
    assert lines(config_of("east")) == [
        (
            "Pulumi.west.yaml: peers: 'eats' is no other stack with a file here: "
            "write one of east, or add Pulumi.eats.yaml"
        )
    ]


def test_stack_files_of_another_projects_name_are_one_mistake(project: Path) -> None:
    for file in project.glob("Pulumi.*.yaml"):
        text = file.read_text(encoding="utf-8")
        file.write_text(text.replace(f"{NAME}:", "fabric:"), encoding="utf-8")
    assert lines({"fabric:cluster": "{}"}) == [
        (
            f"Pulumi.yaml: name: '{NAME}' has stack files whose keys are of the project fabric: "
            f"write fabric, or begin those keys with {NAME}:"
        )
    ]


def test_a_peering_of_one_side_is_a_warning_and_no_mistake() -> None:
    [says] = [text for text in run_program("east", config=with_peers()).messages if "peers" in text]
    assert says == (
        "Pulumi.east.yaml: peers: leaves out west, by which east is dialled; east lets in "
        "the nodes "
        "of its own peers only: name both sides, or neither"
    )


def test_a_chart_in_the_project_is_looked_for_there(project: Path) -> None:
    charts = {"cilium": {"chart": "./charts/cilium"}}
    config = changed("cilium", extraValues={"l7proxy": False})
    [says] = lines(config | {f"{NAME}:charts": json.dumps(charts)})
    assert "charts.cilium.chart: './charts/cilium' is no chart that can be read" in says
