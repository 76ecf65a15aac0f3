"""No cluster is another one, in the mesh or in a vCenter."""

import pytest

from tests.mesh.topology.written import lines, together


def test_two_clusters_of_one_name_are_refused() -> None:
    assert lines(together(west={"cluster.name": "east"})) == [
        (
            "Pulumi.west.yaml: cluster.name: 'east' is cluster.name of east too: "
            "write a name of its own"
        )
    ]


def test_two_clusters_of_one_id_are_refused() -> None:
    assert lines(together(west={"cluster.id": 1})) == [
        "Pulumi.west.yaml: cluster.id: 1 is cluster.id of east too: write an id of its own"
    ]


@pytest.mark.parametrize("folder", ["mesh/east", "Mesh/East"])
def test_two_stacks_in_one_folder_are_refused(folder: str) -> None:
    assert lines(together(west={"vsphere.folder": folder})) == [
        (
            f"Pulumi.west.yaml: vsphere.folder: '{folder}' is vsphere.folder of east too: "
            "write a folder of its own"
        )
    ]


def test_a_folder_in_one_that_another_stack_makes_and_removes_is_refused() -> None:
    assert lines(together(east={"vsphere.folder": "mesh/west/old/east"})) == [
        (
            "Pulumi.east.yaml: vsphere.folder: 'mesh/west/old/east' is in vsphere.folder of west, "
            "'mesh/west', and goes when that goes: write one outside it"
        )
    ]


@pytest.mark.parametrize("key", ["server", "datacenter"])
def test_another_vcenter_or_datacenter_has_folders_of_its_own(key: str) -> None:
    elsewhere = {f"vsphere.{key}": "other", "vsphere.folder": "mesh/east"}
    assert lines(together(west=elsewhere)) == []
