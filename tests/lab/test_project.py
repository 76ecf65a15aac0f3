"""The working copy, written from a small project and from the shipped one."""

import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

from lab import project
from lab.project import Overrides
from tests.lab.shipped import settings

SHIPPED = project.SOURCE
NAME = "vsphere-cluster-mesh"


@pytest.fixture(autouse=True)
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with the shipped stack files; its copy lies beside it."""
    made = tmp_path / "source"
    made.mkdir()
    for path in SHIPPED.glob("Pulumi*.yaml"):
        shutil.copy(path, made)
    (made / "__main__.py").write_text("print('program')\n")
    for room in ("mesh", "components"):
        (made / room).mkdir()
        (made / room / "__init__.py").touch()
    monkeypatch.setattr(project, "SOURCE", made)
    monkeypatch.setattr(project, "COPY", tmp_path / "copy")
    # The source's default is bound when the module is read.
    monkeypatch.setattr(project.stacks, "__defaults__", (made,))
    return made


def written(name: str) -> dict[str, Any]:
    content: dict[str, Any] = yaml.safe_load((project.COPY / name).read_text())
    return content


def test_the_authority_comes_first_and_the_others_by_name(source: Path) -> None:
    for name in ("north", "aachen"):
        shutil.copy(source / "Pulumi.west.yaml", source / f"Pulumi.{name}.yaml")
    assert project.stacks() == ["east", "aachen", "north", "west"]
    text = (source / "Pulumi.yaml").read_text()
    (source / "Pulumi.yaml").write_text(text.replace("authority: east", "authority: north"))
    assert project.stacks() == ["north", "aachen", "east", "west"]


def test_a_copy_without_overrides_says_what_the_project_says(source: Path) -> None:
    project.write_copy(Overrides())
    for path in source.glob("Pulumi*.yaml"):
        assert written(path.name) == yaml.safe_load(path.read_text())


def test_a_shared_override_lands_in_the_project_file_only() -> None:
    project.write_copy(Overrides(project={"mesh.tunnelProtocol": "vxlan", "charts.cilium": {}}))
    config = written("Pulumi.yaml")["config"]
    assert config["mesh"]["value"]["tunnelProtocol"] == "vxlan"
    assert config["mesh"]["value"]["authority"] == "east"
    assert config["charts"]["value"]["cilium"] == {}
    assert not any(key.endswith(":mesh") for key in written("Pulumi.east.yaml")["config"])


def test_a_shared_override_holds_in_a_stack_with_a_group_of_its_own_too(source: Path) -> None:
    with (source / "Pulumi.east.yaml").open("a") as file:
        file.write(f"  {NAME}:images:\n    registry: registry.example.com/mirror\n")
    project.write_copy(Overrides(project={"images.digests": False, "mesh.tunnelPort": 8223}))
    own = {"registry": "registry.example.com/mirror", "digests": False}
    assert project.group("east", "images") == own
    assert f"{NAME}:mesh" not in written("Pulumi.east.yaml")["config"]
    assert f"{NAME}:images" not in written("Pulumi.west.yaml")["config"]
    for stack in ("east", "west"):
        assert settings(stack, project.COPY).images.digests is False


def test_the_settings_of_a_stack_are_those_of_the_copy() -> None:
    project.write_copy(Overrides(project={"mesh.tunnelPort": 8223}, workers=1))
    for stack in ("east", "west"):
        assert project.settings(stack) == settings(stack, project.COPY)
    assert len(project.settings("west").nodes.worker.addresses) == 1


@pytest.mark.parametrize(
    ("shared", "own", "enabled"),
    [(None, None, False), (None, "true", True), ("true", None, True), ("true", "false", False)],
)
def test_an_image_for_acceptance_turns_it_neither_on_nor_off(
    source: Path, shared: str | None, own: str | None, enabled: bool
) -> None:
    if shared:
        with (source / "Pulumi.yaml").open("a") as file:
            file.write(f"  acceptance:\n    value: {shared}\n")
    if own:
        with (source / "Pulumi.east.yaml").open("a") as file:
            file.write(f"  {NAME}:acceptance: {own}\n")
    project.write_copy(Overrides(stack={"acceptance.image": "lab.local/toolbox:1"}))
    found = project.group("east", "acceptance")
    assert found == {"enabled": enabled, "image": "lab.local/toolbox:1"}


@pytest.mark.parametrize("stack", ["east", "west"])
def test_a_stacks_override_lands_in_every_stack_file_on_any_depth(stack: str) -> None:
    key = "cilium.extraValues.securityContext.privileged"
    project.write_copy(Overrides(stack={key: True, "vsphere.allowUnverifiedTls": True}))
    values = project.group(stack, "cilium")["extraValues"]
    assert values == {"securityContext": {"privileged": True}}
    assert project.group(stack, "vsphere")["allowUnverifiedTls"] is True
    assert project.group(stack, "vsphere")["server"] == "vcenter.example.com"


def test_an_override_makes_the_group_that_a_stack_file_lacks(source: Path) -> None:
    path = source / "Pulumi.east.yaml"
    content = yaml.safe_load(path.read_text())
    del content["config"][f"{NAME}:cilium"]
    path.write_text(yaml.safe_dump(content))
    project.write_copy(Overrides(stack={"cilium.extraValues.l7Proxy": False}))
    assert project.group("east", "cilium") == {"extraValues": {"l7Proxy": False}}


@pytest.mark.parametrize(("workers", "kept"), [(None, 3), (1, 1), (0, 0), (9, 3)])
def test_as_many_workers_stay_as_were_asked_for(workers: int | None, kept: int) -> None:
    project.write_copy(Overrides(workers=workers))
    for stack, first in (("east", "10.11.85.12"), ("west", "10.11.85.22")):
        addresses = project.group(stack, "nodes")["worker"]["addresses"]
        assert addresses[:1] == [first][:kept]
        assert len(addresses) == kept


def test_what_the_engine_wrote_survives_a_rewrite_and_is_no_other_stacks() -> None:
    project.write_copy(Overrides())
    path = project.stack_file("east")
    content = {"encryptionsalt": "v1:salt", **written(path.name)}
    content["config"][f"{NAME}:vcenterPassword"] = {"secure": "v1:cipher"}
    path.write_text(yaml.safe_dump(content))
    for _ in range(2):
        project.write_copy(Overrides(workers=1))
    again = written(path.name)
    assert again["encryptionsalt"] == "v1:salt"
    assert again["config"][f"{NAME}:vcenterPassword"] == {"secure": "v1:cipher"}
    assert "encryptionsalt" not in written("Pulumi.west.yaml")


def test_a_setting_that_was_changed_in_the_project_arrives_in_the_copy(source: Path) -> None:
    project.write_copy(Overrides(workers=1))
    text = (source / "Pulumi.east.yaml").read_text()
    (source / "Pulumi.east.yaml").write_text(text.replace("10.101.0.0/16", "10.103.0.0/16"))
    project.write_copy(Overrides())
    assert project.group("east", "network")["podCidr"] == "10.103.0.0/16"
    assert len(project.group("east", "nodes")["worker"]["addresses"]) == 3


def test_a_stack_file_that_vanished_vanishes_from_the_copy(source: Path) -> None:
    project.write_copy(Overrides())
    (source / "Pulumi.west.yaml").unlink()
    project.write_copy(Overrides())
    names = sorted(path.name for path in project.COPY.glob("Pulumi*.yaml"))
    assert names == ["Pulumi.east.yaml", "Pulumi.yaml"]


def test_the_program_is_linked_so_that_an_edit_needs_no_new_copy(source: Path) -> None:
    # An earlier copy may have been made of real directories.
    (project.COPY / "mesh" / "old").mkdir(parents=True)
    for _ in range(2):
        project.write_copy(Overrides())
    (source / "mesh" / "new.py").touch()
    assert (project.COPY / "mesh" / "new.py").exists()
    assert not (project.COPY / "mesh" / "old").exists()
    assert (project.COPY / "__main__.py").read_text() == "print('program')\n"
    assert (source / "mesh" / "__init__.py").exists()


def test_the_project_itself_is_left_as_it_is(source: Path) -> None:
    before = {path.name: path.read_bytes() for path in source.glob("Pulumi*.yaml")}
    project.write_copy(Overrides({"mesh.tunnelPort": 8223}, {"dns.forwarding": False}, 1))
    assert {path.name: path.read_bytes() for path in source.glob("Pulumi*.yaml")} == before


def test_every_overridden_stack_file_is_still_one_that_the_program_takes() -> None:
    shared = {"mesh.tunnelProtocol": "vxlan", "mesh.tunnelPort": 8223, "images.digests": False}
    own = {"nodes.ignorePreflightErrors": ["SystemVerification"]}
    project.write_copy(Overrides(shared, own, 1))
    for stack in project.stacks():
        taken = settings(stack, project.COPY)
        assert taken.mesh.tunnel_port == 8223
        assert taken.nodes.ignore_preflight_errors == ("SystemVerification",)
