"""The other stacks' settings as read from the files beside our own."""

import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

from mesh.settings import Settings, SettingsError, sibling_settings
from tests.mesh.settings.written import NAME, ROOT, changed, problems_of, read, shipped

HIDDEN = {"secure": "v1:abc"}


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


def test_a_group_of_the_project_file_needs_the_word_value_as_the_engine_does(project: Path) -> None:
    edit(project, "Pulumi.yaml", mesh={"authority": "west"})
    assert lines(project) == [
        (
            "Pulumi.yaml: mesh: is a group without the word value: "
            "write value: below it, and its settings below that"
        )
    ]


def test_a_default_of_the_project_file_is_read_as_the_engine_does(project: Path) -> None:
    edit(project, "Pulumi.yaml", mesh={"default": {"authority": "west"}})
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


def test_the_vcenters_password_is_no_setting_a_file_must_have_in_plain(project: Path) -> None:
    edit(project, "Pulumi.west.yaml", vcenterPassword=HIDDEN)
    assert siblings(project) == {"west": read(shipped("west"))}


@pytest.mark.parametrize("file", ["Pulumi.east.yaml", "Pulumi.west.yaml"])
@pytest.mark.parametrize(
    ("path", "key"),
    [
        ("network.podCidr", "network.podCidr"),
        ("vsphere.user", "vsphere.user"),
        ("cilium.extraValues.token", "cilium.extraValues.token"),
        ("vsphere", "vsphere"),
        ("peers", "peers[0]"),
        ("versions", "versions"),
    ],
)
def test_a_secret_setting_is_refused_by_name(project: Path, file: str, path: str, key: str) -> None:
    hidden = [HIDDEN] if path == "peers" else HIDDEN
    group = path.partition(".")[0]
    edit(project, file, **{group: changed(path, hidden, stack=file.split(".")[1])[group]})
    assert lines(project) == [
        (
            f"{file}: {key}: is secure: write it in plain, or leave it out: "
            "it is stored in clear in the program's resources"
        )
    ]


def test_a_secret_setting_of_all_stacks_is_refused_once(project: Path) -> None:
    edit(project, "Pulumi.yaml", images={"value": {"registry": HIDDEN}})
    [says] = lines(project)
    assert says.startswith("Pulumi.yaml: images.registry: is secure: write it in plain")


def test_a_secret_password_among_the_settings_is_sent_to_its_place(project: Path) -> None:
    edit(project, "Pulumi.west.yaml", vsphere=shipped("west")["vsphere"] | {"password": HIDDEN})
    assert lines(project) == [
        (
            "Pulumi.west.yaml: vsphere.password: is secure: take it out, and run "
            "pulumi config set --secret vcenterPassword -s west"
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
    assert lines(project) == ["Pulumi.west.yaml: line 3: is not YAML: mend its indents or quotes"]


def test_a_project_file_that_is_not_yaml_does_not_make_its_settings_missing(project: Path) -> None:
    (project / "Pulumi.yaml").write_text("config: [1\nb: 2\n")
    assert lines(project) == ["Pulumi.yaml: line 2: is not YAML: mend its indents or quotes"]


def test_a_file_that_is_not_utf_8_is_named_with_its_first_wrong_byte(project: Path) -> None:
    (project / "Pulumi.west.yaml").write_bytes("# für\n".encode("latin-1"))
    assert lines(project) == ["Pulumi.west.yaml: byte 4: is not UTF-8: save the file as UTF-8"]


def test_a_key_that_is_in_a_file_twice_is_refused(project: Path) -> None:
    path = project / "Pulumi.west.yaml"
    path.write_text(path.read_text().replace("    id: 2 ", "    id: 2\n    id: 3 "))
    line = path.read_text().splitlines().index("    id: 2") + 2
    assert lines(project) == [
        f"Pulumi.west.yaml: line {line}: 'id' is here twice: keep one of them"
    ]


def test_a_stray_file_is_told_that_it_may_be_moved_away(project: Path) -> None:
    (project / "Pulumi.bak.yaml").write_text("encryptionsalt: v1:abc\n")
    instead = "write its settings below it, as the shipped Pulumi.east.yaml does"
    assert lines(project) == [
        f"Pulumi.bak.yaml: {group}: is missing: {instead}, or move the file away"
        for group in ("cluster", "network", "nodes", "vsphere", "loadBalancer")
    ]


@pytest.mark.parametrize("file", ["Pulumi.yaml", "Pulumi.east.yaml", "Pulumi.west.yaml"])
def test_a_misspelt_namespace_is_told_with_the_right_one(project: Path, file: str) -> None:
    edit(project, file, **{"vsphere-cluster-mehs:dns": {"forwarding": False}})
    assert lines(project) == [
        (
            f"{file}: vsphere-cluster-mehs:dns: is not in the project's namespace: "
            "did you mean vsphere-cluster-mesh:dns?"
        )
    ]


def test_a_group_in_a_misspelt_namespace_is_not_missing_too(project: Path) -> None:
    path = project / "Pulumi.west.yaml"
    path.write_text(path.read_text().replace(f"{NAME}:network", "vsphere-cluster-mehs:network"))
    [says] = lines(project)
    assert says.startswith("Pulumi.west.yaml: vsphere-cluster-mehs:network: ")


def test_a_project_without_its_file_is_told_so(project: Path) -> None:
    (project / "Pulumi.yaml").unlink()
    assert lines(project)[0] == "Pulumi.yaml: config: cannot be read: add the file"


@pytest.mark.parametrize(
    "written", ["hush", 815, {"value": "hush"}, None, {"secure": "", "x": "hush"}]
)
@pytest.mark.parametrize("file", ["Pulumi.east.yaml", "Pulumi.west.yaml"])
def test_a_password_in_plain_text_in_any_file_is_refused_and_never_printed(
    project: Path, file: str, written: object
) -> None:
    path = project / file
    document = yaml.safe_load(path.read_text())
    document["config"][f"{NAME}:vcenterPassword"] = written
    path.write_text(yaml.safe_dump(document))
    stack = file.split(".")[1]
    assert lines(project) == [
        (
            f"{file}: vcenterPassword: is given as plain text: "
            f"run pulumi config set --secret vcenterPassword -s {stack}"
        )
    ]


@pytest.mark.parametrize("written", ["hush", {"value": "hush"}, {"value": "hush", "secret": True}])
def test_a_password_in_the_file_of_all_stacks_is_refused_and_never_printed(
    project: Path, written: object
) -> None:
    edit(project, "Pulumi.yaml", vcenterPassword=written)
    assert lines(project) == [
        (
            "Pulumi.yaml: vcenterPassword: is given as plain text: take it out, and run "
            "pulumi config set --secret vcenterPassword -s <stack> for each stack"
        )
    ]


def test_an_encrypted_password_is_where_it_belongs(project: Path) -> None:
    edit(project, "Pulumi.west.yaml", vcenterPassword=HIDDEN)
    assert siblings(project) == {"west": read(shipped("west"))}


def test_keys_of_another_projects_name_are_told_once_for_all_files(project: Path) -> None:
    with pytest.raises(SettingsError) as caught:
        sibling_settings(project, "fabric", "east")
    assert str(caught.value) == (
        f"Pulumi.yaml: name: 'fabric' has stack files whose keys are of the project {NAME}: "
        f"write {NAME}, or begin those keys with fabric:"
    )


def test_one_file_of_another_project_hides_no_fault_of_the_others(project: Path) -> None:
    text = (project / "Pulumi.west.yaml").read_text()
    (project / "Pulumi.north.yaml").write_text(text.replace(f"{NAME}:", "fabric:"))
    edit(project, "Pulumi.west.yaml", network={"gateway": "10.11.84.1"})
    found = lines(project)
    assert found[0].startswith(f"Pulumi.yaml: name: '{NAME}' has stack files whose keys are of")
    assert "Pulumi.west.yaml: network.podCidr" in " ".join(found)


def test_a_key_with_the_namespace_and_without_is_refused(project: Path) -> None:
    path = project / "Pulumi.west.yaml"
    path.write_text(f"{path.read_text()}\n  dns: {{forwarding: false}}\n")
    assert lines(project) == [
        "Pulumi.west.yaml: dns: is here twice, with the namespace and without: keep one of them"
    ]


def test_a_key_with_a_colon_too_many_is_sent_into_its_group(project: Path) -> None:
    edit(project, "Pulumi.west.yaml", **{f"{NAME}:network:podCidr": "10.9.0.0/16"})
    assert lines(project) == [
        (
            f"Pulumi.west.yaml: {NAME}:network:podCidr: has one colon too many: "
            f"write it in a group below {NAME}:network"
        )
    ]


@pytest.mark.parametrize("key", ["dns", f"{NAME}:dns"])
def test_a_group_beside_config_is_sent_below_it(project: Path, key: str) -> None:
    path = project / "Pulumi.west.yaml"
    path.write_text(f"{path.read_text()}\n{key}: {{forwarding: false}}\n")
    assert lines(project) == ["Pulumi.west.yaml: dns: stands beside config: move it below config"]


def test_a_fault_of_the_project_file_is_told_once_and_there(project: Path) -> None:
    shutil.copy(project / "Pulumi.west.yaml", project / "Pulumi.north.yaml")
    edit(project, "Pulumi.yaml", versions={"value": {"cilium": "v1.20.2"}})
    edit(project, "Pulumi.north.yaml", versions={"cilium": "latest"})
    reason = "is not a full version"
    assert lines(project) == [
        f"Pulumi.north.yaml: versions.cilium: 'latest' {reason}: write a full version like 1.20.2",
        f"Pulumi.yaml: versions.cilium: 'v1.20.2' {reason}: write 1.20.2, without a v",
    ]


def test_a_fault_of_one_key_hides_none_of_a_longer_key(project: Path) -> None:
    text = (project / "Pulumi.west.yaml").read_text()
    text = text.replace("podCidrMaskSize: 24", "podCidrMaskSize: 8")
    text = text.replace("podCidr: 10.102.0.0/16", "podCidr: 2026-01-02")
    (project / "Pulumi.west.yaml").write_text(text)
    assert [line.split(": ")[1] for line in lines(project)] == [
        "network.podCidr",
        "network.podCidrMaskSize",
    ]
