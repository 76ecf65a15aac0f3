"""What changes in the others when a cluster joins the mesh, resource by resource."""

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from google.protobuf import json_format  # type: ignore[import-untyped]

from cli.membership import addition, removal
from cli.preview.mocks import Registered
from cli.project import load
from mesh.pki import certificate_authority
from tests.mocks import PROJECT, Run, run_program, unwrap

CA = certificate_authority("test", 10).as_mapping()


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for file in (*PROJECT.glob("Pulumi*.yaml"), PROJECT / "__main__.py"):
        shutil.copy(file, tmp_path)
    return tmp_path


def run(project: Path, stack: str, kept: Mapping[str, Any] | None = None) -> Run:
    exports = {"east": {"meshCa": CA}}
    return run_program(stack, preview=True, exports=exports, project=project, kept=kept)


def kept(before: Run) -> dict[str, Any]:
    """What the state holds after a run, as the next one finds it."""
    return {stash.name: unwrap(stash.inputs["input"]) for stash in before.of("Stash")}


def changed(before: Run, after: Run) -> dict[str, set[str]]:
    """The inputs and options that differ, by the names of resources; a Stash keeps its first."""
    old, new = ({(one.type, one.name): one for one in run.made} for run in (before, after))
    assert len(new) == len(after.made)
    assert old.keys() == new.keys(), "a resource came or went"
    found: dict[str, set[str]] = {}
    for key, one in new.items():
        sent, was = everything(one), everything(old[key])
        keys = {name for name in sent.keys() | was.keys() if sent.get(name) != was.get(name)}
        if keys and not (one.type == "pulumi:index:Stash" and keys == {"input"}):
            found[one.name] = keys
    return found


def everything(resource: Registered) -> dict[str, Any]:
    """Inputs and options of a resource, without the place in the source that it came from."""
    sent = json_format.MessageToDict(resource.request)
    options = {key: sent[key] for key in sent.keys() - {"object", "sourcePosition", "stackTrace"}}
    # The engine takes them as sets.
    options["dependencies"] = sorted(sent.get("dependencies", []))
    for one in options.get("propertyDependencies", {}).values():
        one.get("urns", []).sort()
    return {**unwrap(resource.inputs), **{f"request.{key}": one for key, one in options.items()}}


def release(one: Run) -> dict[str, Any]:
    [found] = [each for each in one.of("Release") if each.name.endswith("-cilium")]
    return dict(unwrap(found.inputs))


def add(project: Path, **changes: str) -> None:
    addition(load(project), "north", None).write(project)
    file = project / "Pulumi.north.yaml"
    text = file.read_text()
    for before, after in changes.items():
        assert before in text
        text = text.replace(before, after)
    file.write_text(text)


@pytest.mark.parametrize("stack", ["east", "west"])
def test_a_cluster_that_joins_changes_three_things_in_each_other_and_no_machine(
    project: Path, stack: str
) -> None:
    before = run(project, stack)
    add(project)
    after = run(project, stack, kept(before))
    assert changed(before, after) == {
        f"{stack}-cilium": {"values"},
        f"{stack}-core-dns-corefile": {"data"},
        f"{stack}-core-dns-roll-out": {"spec"},
    }


def test_the_new_peer_is_all_that_changes_in_ciliums_values(project: Path) -> None:
    before = run(project, "east")
    add(project)
    after = run(project, "east", kept(before))
    old, new = (release(one)["values"] for one in (before, after))
    north = new["clustermesh"]["config"]["clusters"].pop("north")
    assert north == {"ips": ["10.11.84.42"], "port": 2379}
    assert new == old


def test_the_new_zone_is_all_that_changes_in_the_corefile(project: Path) -> None:
    before = run(project, "east")
    add(project)
    after = run(project, "east", kept(before))
    old, new = (
        one.one("east-core-dns-corefile").inputs["data"]["Corefile"] for one in (before, after)
    )
    block = new[new.index("north.mesh.example:53 {") :].partition("\n}\n")[0] + "\n}\n"
    assert "forward . 10.11.84.43:53" in block
    assert new.replace(block, "") == old


def test_no_pod_template_changes_but_core_dns_s_own_annotation(project: Path) -> None:
    before = run(project, "east")
    add(project)
    after = run(project, "east", kept(before))
    specs = [one.one("east-core-dns-roll-out").inputs["spec"] for one in (before, after)]
    annotations = [spec["template"]["metadata"].pop("annotations") for spec in specs]
    assert specs[0] == specs[1]
    assert [set(one) for one in annotations] == [{"vsphere-cluster-mesh/corefile-sha256"}] * 2
    assert annotations[0] != annotations[1]


def test_a_node_network_of_its_own_is_admitted_by_the_services_of_the_others(
    project: Path,
) -> None:
    before = run(project, "east")
    add(project, **{"10.11.": "10.12."})
    after = run(project, "east", kept(before))
    services = {"east-exposure-clustermesh-apiserver", "east-exposure-mesh-dns"}
    assert {name for name, keys in changed(before, after).items() if keys == {"spec"}} == {
        *services,
        "east-core-dns-roll-out",
    }
    for name in services:
        spec = after.one(name).inputs["spec"]
        assert spec["loadBalancerSourceRanges"] == ["10.11.84.0/22", "10.12.84.0/22"]


def test_a_cluster_that_leaves_brings_back_what_was_before_it_joined(project: Path) -> None:
    before = run(project, "west")
    add(project)
    removal(load(project), "north").write(project)
    assert changed(before, run(project, "west", kept(before))) == {}


def test_every_stack_exports_the_firewall_list_of_its_own_cluster(project: Path) -> None:
    add(project)
    told = json.loads(json.dumps(unwrap(run(project, "north").outputs["firewall"])))
    between = [row for row in told if row["kind"] == "mesh"]
    assert {row["port"] for row in between} == {2379, 53, 6081, 4240, None}
    assert all("north" in (row["source"], row["destination"]) for row in between)
    assert {(row["source"], row["destination"]) for row in between} == {
        pair for one in ("east", "west") for pair in (("north", one), (one, "north"))
    }
