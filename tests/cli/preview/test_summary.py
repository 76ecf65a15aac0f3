"""What a reviewer reads first: one sentence for every change that matters."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from cli.preview.comparison import Comparison
from cli.preview.recording import Recording
from cli.preview.report import as_markdown, headlines
from cli.preview.runner import record
from cli.preview.summary import summary
from tests.cli.preview.conftest import (
    MESH_CA,
    Edit,
    Recorder,
    copy_of_the_stack_files,
    group,
)
from tests.mocks import NAME

ALL_REPLACED = (
    "4 VMs are replaced: east-control-plane-1, east-worker-1, east-worker-2, east-worker-3"
    " (east-control-plane-1 protected, so `up` refuses)"
)
OTHER_POOL = (
    "the address pool workloads has 10.11.84.48-10.11.84.63 instead of 10.11.84.22-10.11.84.30"
)
WORKERS = ["10.11.85.12", "10.11.85.13", "10.11.85.14", "10.11.85.15"]


def nodes(role: str, **changed: object) -> Edit:
    def edit(groups: dict[str, Any]) -> None:
        groups["nodes"][role].update(changed)

    return edit


def in_another_network(groups: dict[str, Any]) -> None:
    groups["network"].update(nodeCidr="10.12.0.0/22", gateway="10.12.0.1")
    groups["nodes"]["controlPlane"].update(addresses=["10.12.1.21"])
    groups["nodes"]["worker"].update(addresses=["10.12.1.22"])
    groups["loadBalancer"].update(
        etcdAddress="10.12.0.31", dnsAddress="10.12.0.32", addresses=["10.12.0.33-10.12.0.41"]
    )


def at_the_nodes(groups: dict[str, Any]) -> None:
    groups["dns"].update(exposure="nodePort")
    del groups["loadBalancer"]["dnsAddress"]


def of_the_name(name: str) -> Edit:
    def edit(groups: dict[str, Any]) -> None:
        groups["cluster"]["name"] = name

    return edit


def the_same_with(recording: Recording, name: str, **fields: object) -> Recording:
    resources = tuple(
        replace(one, **fields) if one.name == name else one  # type: ignore[arg-type]
        for one in recording.resources
    )
    return replace(recording, resources=resources)


def test_a_short_summary_is_one_line(shipped: Recording, recorded: Recorder) -> None:
    now = recorded(west=group("loadBalancer", dnsAddress="10.11.84.42"))
    assert headlines(Comparison(now, "main", shipped)) == (
        "east: CoreDNS forwards west's zone to 10.11.84.42 instead of 10.11.84.32; 0 VMs replaced",
    )


def test_a_long_summary_is_one_line_for_each_change(shipped: Recording, recorded: Recorder) -> None:
    now = recorded(west=in_another_network)
    lines = headlines(Comparison(now, "main", shipped))
    assert len(lines) == 5
    assert lines[0] == "east: CoreDNS forwards west's zone to 10.12.0.32 instead of 10.11.84.32"
    assert lines[-1] == "east: 0 VMs replaced"


def test_a_cluster_of_another_name_is_told_as_machines_that_come_and_go(
    shipped: Recording, recorded: Recorder
) -> None:
    seen = Comparison(recorded(east=of_the_name("ost")), "main", shipped)
    lines = headlines(seen)
    assert any(line.endswith("more changes") for line in lines)
    assert lines[:2] == (
        "east: 4 VMs are added: ost-control-plane-1, ost-worker-1, ost-worker-2, ost-worker-3",
        (
            "east: 4 VMs are removed: east-control-plane-1, east-worker-1, east-worker-2, "
            "east-worker-3 (east-control-plane-1 protected, so `up` refuses)"
        ),
    )
    assert lines[-1] == "east: 4 VMs added, 4 VMs removed, 0 VMs replaced"
    first = as_markdown(seen).splitlines()[: len(lines) + 1]
    assert first[2].startswith("* **east**: 4 VMs are removed: east-control-plane-1")
    assert first[-1] == "* **east**: 4 VMs added, 4 VMs removed, 0 VMs replaced"


def test_nothing_that_changes_says_so(shipped: Recording, recorded: Recorder) -> None:
    assert headlines(Comparison(recorded(), "main", shipped)) == ("east: no changes",)


CASES: dict[str, tuple[dict[str, Edit], list[str]]] = {
    "a worker more": (
        {"east": nodes("worker", addresses=WORKERS)},
        ["1 VM is added: east-worker-4", "1 VM added, 0 VMs replaced"],
    ),
    "a worker less": (
        {"east": nodes("worker", addresses=WORKERS[:2])},
        ["1 VM is removed: east-worker-3", "1 VM removed, 0 VMs replaced"],
    ),
    "more memory": (
        {"east": nodes("controlPlane", memoryGib=16)},
        ["east-control-plane-1 gets 16384 MiB of memory instead of 8192", "0 VMs replaced"],
    ),
    "larger disks": (
        {"east": nodes("controlPlane", diskGib=60)},
        ["east-control-plane-1 gets a disk of 60 GiB instead of 40", "0 VMs replaced"],
    ),
    "smaller disks": (
        {"east": nodes("worker", diskGib=60)},
        [
            (
                "3 VMs get a disk of 60 GiB instead of 100, but vSphere refuses to shrink a disk:"
                " east-worker-1, east-worker-2, east-worker-3"
            ),
        ],
    ),
    "another name server": (
        {"east": group("network", nameServers=["10.11.84.3"])},
        [
            (
                "4 VMs run on without the new user data, which only new VMs get:"
                " east-control-plane-1, east-worker-1, east-worker-2, east-worker-3"
            ),
        ],
    ),
    "another template": (
        {"east": group("vsphere", template="kubernetes-1.36.4")},
        [
            "vSphere template kubernetes-1.36.4 instead of kubernetes-1.36.3",
            ALL_REPLACED,
            "4 VMs replaced",
        ],
    ),
    "another version of Cilium": (
        {
            "east": group("versions", kubernetes="1.36.3", cilium="1.20.1", metallb="0.16.1"),
        },
        ["Cilium 1.20.1 instead of 1.20.2", "0 VMs replaced"],
    ),
    "no peer": (
        {"east": lambda groups: groups.update(peers=[])},
        ["CoreDNS no longer forwards west's zone", "Cilium disconnects from west"],
    ),
    "another value of Cilium": (
        {"east": group("cilium", extraValues={"operator": {"replicas": 1}})},
        ["cilium: operator.replicas is 1 instead of 2", "0 VMs replaced"],
    ),
    "another network of a peer's nodes": (
        {"west": in_another_network},
        [
            "CoreDNS forwards west's zone to 10.12.0.32 instead of 10.11.84.32",
            "Cilium dials west at 10.12.0.31:2379 instead of 10.11.84.31:2379",
            "Service mesh-dns is open to 10.11.84.0/22, 10.12.0.0/22 instead of 10.11.84.0/22",
        ],
    ),
    "more addresses for workloads": (
        {"east": group("loadBalancer", addresses=["10.11.84.48/28"])},
        [
            OTHER_POOL,
        ],
    ),
    "no DNS for the peers": (
        {"east": group("dns", forwarding=False)},
        ["CoreDNS no longer forwards west's zone", "Service mesh-dns goes away"],
    ),
    "DNS at the nodes": (
        {"east": at_the_nodes},
        [
            "Service mesh-dns is at port 30053 of every node instead of 10.11.84.21",
            "Service mesh-dns is open to everybody instead of 10.11.84.0/22",
            (
                "the address pool reserved has 10.11.84.20/32 instead of "
                "10.11.84.20/32, 10.11.84.21/32"
            ),
        ],
    ),
    "a peer's DNS at its nodes": (
        {"west": at_the_nodes},
        [
            (
                "CoreDNS forwards west's zone to 10.11.85.22:30053, 10.11.85.23:30053, "
                "10.11.85.24:30053, 10.11.85.21:30053 instead of 10.11.84.32"
            ),
        ],
    ),
    "a peer with namespaces instead of a zone": (
        {"west": group("dns", mode="namespaces", namespaces=["west-1", "shop"])},
        [
            "CoreDNS no longer forwards west's zone",
            "CoreDNS forwards west's namespace shop to 10.11.84.32",
            "CoreDNS forwards west's namespace west-1 to 10.11.84.32",
        ],
    ),
    "another domain": (
        {"east": group("dns", mode="domain")},
        [
            (
                "the cluster's domain is east.mesh.example instead of cluster.local, which no "
                "running cluster survives"
            ),
        ],
    ),
    "control planes unprotected": (
        {"east": group("nodes", protectControlPlanes=False)},
        ["east-control-plane-1 is no longer protected", "0 VMs replaced"],
    ),
    "another vCenter": (
        {"east": group("vsphere", server="other.example.com", user="mesh@vsphere.local")},
        [
            "vSphere server other.example.com instead of vcenter.example.com",
            "vSphere user mesh@vsphere.local instead of automation@vsphere.local",
            "0 VMs replaced",
        ],
    ),
    "another range of Services": (
        {"east": group("network", serviceCidr="10.203.0.0/16")},
        [
            (
                "the cluster's service range is 10.203.0.0/16 instead of 10.201.0.0/16, which no "
                "running cluster survives"
            ),
        ],
    ),
    "another id": (
        {"east": group("cluster", id=7)},
        ["the cluster's id is 7 instead of 1, which no running cluster survives"],
    ),
}


@pytest.mark.parametrize(("edits", "expected"), CASES.values(), ids=CASES.keys())
def test_a_change_has_a_sentence(
    shipped: Recording, recorded: Recorder, edits: dict[str, Edit], expected: list[str]
) -> None:
    sentences = summary(shipped, recorded(**edits))
    assert [one for one in expected if one not in sentences] == [], sentences
    assert "replaced" in sentences[-1]


def test_a_peer_whose_addresses_are_chosen_later_is_not_taken_for_gone(
    shipped: Recording, recorded: Recorder
) -> None:
    now = recorded(west=group("loadBalancer", dnsAddress="auto", etcdAddress="auto"))
    assert summary(shipped, now) == (
        "west's addresses are MetalLB's to choose, so none are in this preview",
        "0 VMs replaced",
    )


def test_a_zone_is_its_clusters_however_the_file_writes_the_group(
    shipped: Recording, tmp_path: Path
) -> None:
    project = copy_of_the_stack_files(tmp_path / "project")
    east, west = (project / f"Pulumi.{stack}.yaml" for stack in ("east", "west"))
    east.write_text(east.read_text().replace(f"{NAME}:", ""))
    document = yaml.safe_load(west.read_text())
    # As `pulumi config set cluster '{…}'` leaves it.
    as_json = json.dumps(document["config"][f"{NAME}:cluster"])
    document["config"][f"{NAME}:cluster"] = as_json
    west.write_text(yaml.safe_dump(document))
    assert record(project, "east", MESH_CA).zones == shipped.zones


def test_many_values_of_a_release_are_counted(shipped: Recording, recorded: Recorder) -> None:
    values = {f"pprof{number}": number for number in range(9)}
    extra = group("cilium", extraValues={"extraConfig": values})
    sentences = summary(shipped, recorded(east=extra))
    assert "cilium has 1 more changed values" in sentences
    assert len([one for one in sentences if one.startswith("cilium: ")]) == 8


def test_a_new_peer_is_named_with_its_addresses(shipped: Recording, recorded: Recorder) -> None:
    without = recorded(east=lambda groups: groups.update(peers=[]))
    assert summary(without, shipped) == (
        "CoreDNS forwards west's zone to 10.11.84.32",
        "Cilium connects to west at 10.11.84.31:2379",
        "0 VMs replaced",
    )


def test_what_is_only_exported_has_a_sentence_where_nothing_else_changes(
    shipped: Recording,
) -> None:
    now = replace(shipped, outputs={**shipped.outputs, "firewall": []})
    assert summary(shipped, now) == ("the firewall list changes", "0 VMs replaced")
    now = replace(shipped, outputs={**shipped.outputs, "peers": {}}, messages=("north waits",))
    assert summary(shipped, now) == (
        "the output peers changes",
        "the program now says: north waits",
        "0 VMs replaced",
    )


def test_a_cluster_that_is_no_peer_changes_nothing(shipped: Recording) -> None:
    now = replace(shipped, zones={**shipped.zones, "north.mesh.example": "north"})
    assert summary(shipped, now) == ()


def test_a_patch_that_no_longer_stays_is_told(shipped: Recording) -> None:
    now = the_same_with(shipped, "east-core-dns-corefile", retain=False)
    assert "east-core-dns-corefile no longer stays when the stack goes" in summary(shipped, now)


def test_a_resource_nobody_has_words_for_is_told_all_the_same(shipped: Recording) -> None:
    resources = tuple(one for one in shipped.resources if one.kind != "L2Advertisement")
    now = replace(shipped, resources=resources)
    assert "L2Advertisement east-metallb-nodes is removed" in summary(shipped, now)
    [announced] = shipped.of("L2Advertisement")
    inputs = {**announced.inputs, "spec": {"ipAddressPools": []}}
    changed = the_same_with(shipped, announced.name, inputs=inputs)
    assert "L2Advertisement east-metallb-nodes changes: spec.ipAddressPools" in summary(
        shipped, changed
    )


def test_what_has_a_sentence_of_its_own_is_told_when_something_else_of_it_changes(
    shipped: Recording,
) -> None:
    [service] = [one for one in shipped.resources if one.name == "east-exposure-mesh-dns"]
    spec = {**service.inputs["spec"], "type": "NodePort"}
    now = the_same_with(shipped, service.name, inputs={**service.inputs, "spec": spec})
    assert "Service east-exposure-mesh-dns changes: spec.type" in summary(shipped, now)


def test_a_new_stack_says_what_it_consists_of(shipped: Recording) -> None:
    assert headlines(Comparison(shipped, "nothing", None)) == (
        "east: a new cluster of 4 VMs with Kubernetes 1.36.3, Cilium 1.20.2, MetalLB 0.16.1",
        "east: Cilium connects to west",
        "east: CoreDNS forwards west's zone to 10.11.84.32",
        "east: Service clustermesh-apiserver is at 10.11.84.20",
        "east: Service mesh-dns is at 10.11.84.21",
    )


def with_workload(recording: Recording, members: int, gib: int = 8) -> Recording:
    told = {"kind": "etcd", "members": [f"ledger-{number}" for number in range(members)]}
    [pattern, *_] = recording.of("IPAddressPool")
    claims = [{"spec": {"resources": {"requests": {"storage": f"{gib}Gi"}}}}]
    made = replace(
        pattern,
        type="kubernetes:apps/v1:StatefulSet",
        name="east-ledger",
        inputs={"spec": {"replicas": members - 1, "volumeClaimTemplates": claims}},
    )
    return replace(
        recording,
        outputs={**recording.outputs, "workloads": {"ledger": told}},
        resources=(*recording.resources, made),
    )


def test_a_new_stack_says_which_workloads_it_has(shipped: Recording) -> None:
    said = summary(None, with_workload(shipped, 3))
    assert said[-1] == "workload ledger is etcd with 3 members in all clusters"


def test_other_members_of_a_workload_are_told_in_its_own_name(shipped: Recording) -> None:
    assert (
        "workload ledger is etcd with 5 members in all clusters"
        " instead of etcd with 3 members in all clusters"
    ) in summary(with_workload(shipped, 3), with_workload(shipped, 5))


def test_another_size_of_volumes_is_said_to_change_nothing(shipped: Recording) -> None:
    assert summary(with_workload(shipped, 3), with_workload(shipped, 3, gib=16)) == (
        "StatefulSet east-ledger keeps its volumes: size and StorageClass hold once it is there",
        "0 VMs replaced",
    )
