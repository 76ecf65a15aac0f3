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
