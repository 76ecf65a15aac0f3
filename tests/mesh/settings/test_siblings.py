"""The other stacks' settings as read from the files beside our own."""

import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

from mesh.settings import Settings, sibling_settings
from tests.mesh.settings.written import NAME, ROOT, problems_of, read, shipped


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for file in ROOT.glob("Pulumi*.yaml"):
        shutil.copy(file, tmp_path)
    return tmp_path


def siblings(project: Path) -> dict[str, Settings]:
    return sibling_settings(project, NAME, "east")


def edit(project: Path, file: str, **groups: Any) -> None:
    """Replace keys of a file's config as a user would; None takes one out."""
    path = project / file
    document = yaml.safe_load(path.read_text())
    for key, value in groups.items():
        document["config"].pop(f"{NAME}:{key}", None)
        if value is not None:
            document["config"][key] = value
    path.write_text(yaml.safe_dump(document))


def lines(project: Path) -> list[str]:
    return [str(problem) for problem in problems_of(lambda: siblings(project))]


def test_the_sibling_of_east_is_west_as_west_would_read_itself(project: Path) -> None:
    assert siblings(project) == {"west": read(shipped("west"))}


def test_a_third_cluster_is_one_more_file(project: Path) -> None:
    shutil.copy(project / "Pulumi.west.yaml", project / "Pulumi.north.yaml")
    edit(
        project,
        "Pulumi.north.yaml",
        cluster={"name": "north", "id": 3, "zone": "north.mesh.example"},
    )
    assert [*siblings(project)] == ["north", "west"]
    assert siblings(project)["north"].cluster.id == 3


def test_keys_are_read_with_the_namespace_and_without(project: Path) -> None:
    edit(project, "Pulumi.west.yaml", dns={"forwarding": False})
    assert not siblings(project)["west"].dns.forwarding


def test_the_project_config_may_be_plain(project: Path) -> None:
    edit(project, "Pulumi.yaml", mesh={"authority": "west"})
    assert siblings(project)["west"].mesh.authority == "west"


def test_a_stacks_group_replaces_the_projects_group_whole(project: Path) -> None:
    edit(project, "Pulumi.yaml", versions={"value": {"kubernetes": "1.30.0", "cilium": "1.19.0"}})
    edit(project, "Pulumi.west.yaml", versions={"cilium": "1.20.0"})
    versions = siblings(project)["west"].versions
    assert (versions.cilium, versions.kubernetes) == ("1.20.0", "1.36.3")


def test_what_is_not_ours_in_a_stack_file_is_passed_over(project: Path) -> None:
    path = project / "Pulumi.west.yaml"
    document = yaml.safe_load(path.read_text())
    document["config"] |= {"pulumi:tags": {"a": "b"}, "vsphere:user": "x"}
    document["encryptionsalt"] = "v1:abc"
    path.write_text(yaml.safe_dump(document))
    assert siblings(project) == {"west": read(shipped("west"))}


def test_a_secret_no_peer_reads_is_passed_over(project: Path) -> None:
    hidden = {"secure": "v1:abc"}
    vsphere = shipped("west")["vsphere"] | {"user": hidden, "allowUnverifiedTls": hidden}
    edit(
        project,
        "Pulumi.west.yaml",
        vcenterPassword=hidden,
        vsphere=vsphere,
        cilium={"extraValues": {"token": hidden}},
    )
    west = siblings(project)["west"]
    assert west.vsphere.user == "(secure)"
    assert west.vsphere.server == "vcenter.example.com"


def test_a_group_hidden_whole_is_passed_over_when_no_peer_reads_it(project: Path) -> None:
    edit(project, "Pulumi.west.yaml", vsphere={"secure": "v1:abc"})
    assert siblings(project)["west"].vsphere.folder == "(secure)"


@pytest.mark.parametrize("file", ["Pulumi.east.yaml", "Pulumi.west.yaml"])
def test_a_secret_the_peers_read_is_refused_by_name(project: Path, file: str) -> None:
    network = shipped("west")["network"] | {"podCidr": {"secure": "v1:abc"}}
    edit(project, file, network=network)
    assert lines(project) == [
        (
            f"{file}: network.podCidr: is secure, and the peers read it from this file: "
            "write it in plain"
        )
    ]


@pytest.mark.parametrize("file", ["Pulumi.east.yaml", "Pulumi.west.yaml"])
def test_what_must_be_equal_everywhere_is_refused_in_a_stack_file(project: Path, file: str) -> None:
    edit(project, file, mesh={"authority": "west"})
    assert lines(project) == [
        f"{file}: mesh: must be equal in all clusters: move it to Pulumi.yaml"
    ]


def test_the_problems_of_all_files_are_told_at_once_and_each_once(project: Path) -> None:
    shutil.copy(project / "Pulumi.west.yaml", project / "Pulumi.north.yaml")
    edit(project, "Pulumi.yaml", mesh={"value": {}})
    edit(project, "Pulumi.west.yaml", cluster=None)
    edit(project, "Pulumi.north.yaml", nodes=None)
    assert {text.rpartition(": ")[0] for text in lines(project)} == {
        "Pulumi.yaml: mesh.authority: is missing",
        "Pulumi.west.yaml: cluster: is missing",
        "Pulumi.north.yaml: nodes: is missing",
    }
    assert len(lines(project)) == 3


def test_a_file_that_is_not_yaml_is_named_with_its_line(project: Path) -> None:
    (project / "Pulumi.west.yaml").write_text("config:\n  a: [1\n  b: 2\n")
    assert lines(project)[0] == (
        "Pulumi.west.yaml: line 3: is not YAML: mend its indents or quotes"
    )


def test_a_project_without_its_file_is_told_so(project: Path) -> None:
    (project / "Pulumi.yaml").unlink()
    assert lines(project)[0] == "Pulumi.yaml: config: cannot be read: add the file"
