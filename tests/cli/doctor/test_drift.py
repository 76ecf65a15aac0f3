"""What runs is held against the shipped stack files."""

import json
from dataclasses import replace
from ipaddress import IPv4Address
from pathlib import Path
from typing import Any

import pytest

from cli.doctor.facts import Cluster, Release, Unanswered
from cli.doctor.finding import Finding
from cli.doctor.judge import judge
from cli.doctor.plan import Chosen, Plan, plans
from tests.cli.doctor.healthy import EAST, NOW, WEST
from tests.cli.projects import Files

SECRET = "correct-horse-battery-staple"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Files:
    return Files(tmp_path, monkeypatch)


def planned(directory: Path, chosen: dict[str, Chosen] | None = None) -> dict[str, Plan]:
    found = plans(directory, chosen or {})
    assert not isinstance(found, Unanswered), found
    return {**found}


def as_planned(cluster: Cluster, plan: Plan) -> Cluster:
    """The cluster with exactly what its stack file makes."""
    assert isinstance(plan.corefile, str)
    releases = tuple(
        Release(name=name, status="deployed", version=plan.versions[name], values=_sent(values))
        for name, values in plan.values.items()
    )
    return replace(cluster, dns=replace(cluster.dns, corefile=plan.corefile), releases=releases)


def _sent(values: object) -> dict[str, Any]:
    """As the engine sends it: JSON, without what is None."""
    document: dict[str, Any] = json.loads(json.dumps(values))
    return document


def drift(east: Cluster, directory: Path) -> dict[str, Finding]:
    judged = judge((east, WEST), plans(directory, {}), NOW)
    return {
        one.subject: one
        for one in judged
        if one.cluster == "east" and one.subject.endswith("stack files")
    }


def test_a_cluster_that_is_what_its_file_says_has_no_drift(project: Files) -> None:
    east = as_planned(EAST, planned(project.directory)["east"])
    found = drift(east, project.directory)
    assert {subject: one.severity for subject, one in found.items()} == {
        "Corefile and stack files": "ok",
        "values of cilium and stack files": "ok",
        "values of metallb and stack files": "ok",
    }


def test_a_corefile_changed_by_hand_is_drift_and_the_fix_is_named(project: Files) -> None:
    east = as_planned(EAST, planned(project.directory)["east"])
    changed = str(east.dns.corefile).replace("ttl 5", "ttl 30")
    found = drift(replace(east, dns=replace(east.dns, corefile=changed)), project.directory)
    line = str(east.dns.corefile)[: str(east.dns.corefile).index("ttl 5")].count("\n") + 1
    assert found["Corefile and stack files"] == Finding(
        "east",
        "Corefile and stack files",
        "error",
        f"line {line} is not what the stack files say",
        "pulumi refresh -s east; pulumi up -s east",
    )


def test_a_line_added_at_the_end_is_drift(project: Files) -> None:
    east = as_planned(EAST, planned(project.directory)["east"])
    longer = f"{east.dns.corefile}example.:53 {{\n}}\n"
    found = drift(replace(east, dns=replace(east.dns, corefile=longer)), project.directory)
    assert found["Corefile and stack files"].severity == "error"


def test_helm_values_that_differ_are_named_by_their_keys_and_never_shown(project: Files) -> None:
    east = as_planned(EAST, planned(project.directory)["east"])
    assert not isinstance(east.releases, Unanswered)
    cilium, metallb = east.releases
    values = {**cilium.values, "MTU": SECRET, "ipam": {**cilium.values["ipam"], "mode": SECRET}}
    found = drift(
        replace(east, releases=(replace(cilium, values=values), metallb)), project.directory
    )
    one = found["values of cilium and stack files"]
    assert (one.severity, one.seen) == ("error", "differ in MTU, ipam.mode")
    assert one.fix == "pulumi refresh -s east; pulumi up -s east"
    assert SECRET not in repr(found) + repr(cilium)


def test_a_false_that_became_true_and_a_zero_are_seen(project: Files) -> None:
    east = as_planned(EAST, planned(project.directory)["east"])
    assert not isinstance(east.releases, Unanswered)
    cilium, metallb = east.releases
    values = {**cilium.values, "enableLBIPAM": True}
    values["clustermesh"] = {**values["clustermesh"], "maxConnectedClusters": 0}
    found = drift(
        replace(east, releases=(replace(cilium, values=values), metallb)), project.directory
    )
    seen = found["values of cilium and stack files"].seen
    assert seen == "differ in clustermesh.maxConnectedClusters, enableLBIPAM"


def test_another_version_than_the_files_name_is_drift(project: Files) -> None:
    east = as_planned(EAST, planned(project.directory)["east"])
    assert not isinstance(east.releases, Unanswered)
    cilium, metallb = east.releases
    found = drift(
        replace(east, releases=(replace(cilium, version="1.20.1"), metallb)), project.directory
    )
    seen = found["values of cilium and stack files"].seen
    assert seen == "runs 1.20.1, and the stack files say 1.20.2"


def test_a_release_that_is_gone_is_drift(project: Files) -> None:
    east = replace(as_planned(EAST, planned(project.directory)["east"]), releases=())
    found = drift(east, project.directory)
    assert found["values of cilium and stack files"].seen == "there is no such release"


def test_without_stack_files_drift_is_not_checked_and_never_ok(tmp_path: Path) -> None:
    found = drift(EAST, tmp_path)
    assert {one.severity for one in found.values()} == {"not checked"}
    assert {one.seen for one in found.values()} == {
        "no stack files here: run this in the project's directory"
    }


def test_stack_files_with_problems_are_for_mesh_check(project: Files) -> None:
    project.replace("west", "10.102.0.0/16", "10.101.0.0/16")
    assert plans(project.directory, {}) == Unanswered("the stack files have problems: mesh check")
    project.replace("west", "podCidr: 10.101.0.0/16", "podCidr: elsewhere")
    assert plans(project.directory, {}) == Unanswered("the stack files can't be read: mesh check")


def test_a_cluster_without_a_file_among_the_files_is_not_checked(project: Files) -> None:
    east = replace(EAST, name="north")
    judged = judge((east, WEST), plans(project.directory, {}), NOW)
    seen = {one.seen for one in judged if one.subject == "Corefile and stack files"}
    assert "no stack file here is of this cluster" in seen


def test_a_fix_names_the_stack_where_its_cluster_has_another_name(project: Files) -> None:
    project.replace("east", "name: east  ", "name: east-1")
    east = replace(EAST, name="east-1", nodes=())
    judged = judge((east, WEST), plans(project.directory, {}), NOW)
    fixes = {one.subject: one.fix for one in judged if one.cluster == "east-1"}
    assert fixes["nodes"] == "pulumi up -s east"
    assert fixes["Corefile and stack files"] == "pulumi refresh -s east; pulumi up -s east"


def test_a_cluster_that_answers_nobody_has_no_zone_by_its_file(project: Files) -> None:
    project.replace("west", "forwarding: true", "forwarding: false")
    assert planned(project.directory)["west"].zones == ()


def test_an_address_that_metallb_chose_is_the_one_seen_in_the_peer(project: Files) -> None:
    project.replace("west", "etcdAddress: 10.11.84.31", "etcdAddress: auto")
    project.replace("west", "dnsAddress: 10.11.84.32", "dnsAddress: auto")
    unknown = planned(project.directory)["east"]
    assert unknown.corefile == Unanswered("an address that MetalLB chose in west wasn't seen")
    chosen = Chosen(IPv4Address("10.11.84.35"), IPv4Address("10.11.84.36"))
    known = planned(project.directory, {"west": chosen})["east"]
    assert "forward . 10.11.84.36:53" in str(known.corefile)


def test_a_cluster_that_is_no_peer_by_the_files_is_not_missed(project: Files) -> None:
    project.with_peers("east", "[]")
    project.with_peers("west", "[]")
    alone = [replace(one, cilium=replace(one.cilium, kvstoremesh=())) for one in (EAST, WEST)]
    judged = judge(alone, plans(project.directory, {}), NOW)
    assert not [one for one in judged if one.subject.startswith("kvstoremesh")]
