import re
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from mesh.render.yaml_text import yaml_text
from mesh.workloads import Workload, manifests, namespace, secret_manifests, workloads_in
from tests.mesh.workloads.written import BOOKS, LEDGER, NOTES, mesh, spread, workload

EACH = pytest.mark.parametrize("written", [LEDGER, BOOKS, NOTES], ids=["etcd", "galera", "custom"])


def objects(found: Workload, stack: str = "east", generation: int = 1) -> list[dict[str, Any]]:
    site = found.site(stack)
    return [namespace(site), *manifests(found, site, generation)]


def one(found: Workload, kind: str, stack: str = "east", generation: int = 1) -> dict[str, Any]:
    [match] = [each for each in objects(found, stack, generation) if each["kind"] == kind]
    return match


def template(found: Workload, stack: str = "east", generation: int = 1) -> Any:
    return one(found, "StatefulSet", stack, generation)["spec"]["template"]


def container(found: Workload, kind: str = "StatefulSet") -> Any:
    [only] = one(found, kind)["spec"]["template"]["spec"]["containers"]
    return only


@EACH
def test_all_objects_of_a_cluster(written: dict[str, Any], snapshot: SnapshotAssertion) -> None:
    assert yaml_text(*objects(workload(written))) == snapshot


@EACH
@pytest.mark.parametrize("stack", ["east", "west"])
def test_more_members_elsewhere_or_here_restart_nobody(written: dict[str, Any], stack: str) -> None:
    few, many = spread(written, east=1, west=1), spread(written, east=4, west=0)
    assert template(workload(few), stack) == template(workload(many), stack)


@EACH
def test_a_further_cluster_restarts_nobody(written: dict[str, Any]) -> None:
    three = ("east", "west", "north")
    two = workload(spread(written, east=1, west=1), clusters=three)
    more = workload(spread(written, east=1, west=1, north=1), clusters=three)
    assert template(two) == template(more)


@EACH
def test_both_clusters_have_the_same_list_of_members(written: dict[str, Any]) -> None:
    def listed(stack: str) -> Any:
        maps = [each for each in objects(workload(written, stack), stack) if "data" in each]
        return next(each["data"] for each in maps if each["metadata"]["name"] == "ledger-members")

    assert listed("east") == listed("west")
    assert listed("east")["MEMBERS"].split(",") == list(workload(written).members())


def test_other_members_are_verified_by_another_job() -> None:
    names = {
        one(workload(spread(LEDGER, east=1, west=west)), "Job")["metadata"]["name"]
        for west in (1, 2)
    }
    assert len(names) == 2


def test_without_any_members_no_job_looks_for_them() -> None:
    none = workload(spread(LEDGER, east=0, west=0))
    assert not [each for each in objects(none) if each["kind"] == "Job"]
    # Where only the others have members there is something to verify.
    assert one(workload(spread(LEDGER, east=0, west=1)), "Job")


def test_a_job_of_the_same_members_keeps_its_name_so_that_it_runs_once() -> None:
    first, again = (one(workload(LEDGER), "Job", generation=number) for number in (1, 2))
    assert first == again


@EACH
def test_no_up_waits_for_what_needs_a_peer(written: dict[str, Any]) -> None:
    waits = {"StatefulSet", "Job", "Service"}
    for each in objects(workload(written)):
        if each["kind"] in waits and each["spec"].get("type") != "ExternalName":
            assert each["metadata"]["annotations"]["pulumi.com/skipAwait"] == "true", each


def test_renewed_certificates_restart_only_what_does_not_read_them_anew() -> None:
    notes, ledger = workload(NOTES), workload(LEDGER)
    assert template(notes, generation=1) != template(notes, generation=2)
    assert template(ledger, generation=1) == template(ledger, generation=2)


def test_the_pods_of_a_job_answer_for_no_service() -> None:
    found = workload(LEDGER)
    labels = one(found, "Job")["spec"]["template"]["metadata"]["labels"]
    for each in objects(found):
        if selector := each["kind"] == "Service" and each["spec"].get("selector"):
            assert not selector.items() <= labels.items()
            assert selector.items() <= template(found)["metadata"]["labels"].items()


def test_clients_elsewhere_have_the_name_and_the_secret_and_no_members_key() -> None:
    found = workload(LEDGER)
    [alias] = [
        each for each in objects(found) if each.get("spec", {}).get("type") == "ExternalName"
    ]
    assert alias["metadata"]["namespace"] == "shop"
    assert alias["spec"]["externalName"] == "ledger-public.ledger.svc.cluster.local"
    assert secret_manifests(found, found.site("east")) == {
        ("ledger", "ledger-member"): False,
        ("ledger", "ledger-client"): True,
        ("shop", "ledger-client"): True,
    }


@EACH
def test_every_variable_in_an_argument_is_one_the_container_has(written: dict[str, Any]) -> None:
    found = container(workload(written))
    known = [variable["name"] for variable in found["env"]]
    for text in (*found.get("command", ()), *found.get("args", ())):
        assert set(re.findall(r"\$\((\w+)\)", text)) <= {*known}
    for place, variable in enumerate(found["env"]):
        # Kubernetes replaces only what stands before.
        assert set(re.findall(r"\$\((\w+)\)", variable.get("value", ""))) <= {*known[:place]}


def test_a_file_of_an_own_workload_is_filled_in_for_each_member() -> None:
    [files] = [
        each["data"]
        for each in objects(workload(NOTES))
        if each["metadata"]["name"] == "ledger-configuration"
    ]
    members = workload(NOTES).members()
    assert files == {
        f"ledger-{number}": f"{members[number]}: {','.join(members)}\n" for number in (0, 1)
    }


def test_a_mirror_has_the_kinds_own_image_and_not_the_users() -> None:
    images = {"registry": "registry.example.com/mirror"}
    names = [
        each["spec"]["template"]["spec"]["containers"][0]["image"]
        for written in (LEDGER, NOTES)
        for each in objects(workload(written, images=images))
        if each["kind"] == "StatefulSet"
    ]
    assert names == ["registry.example.com/mirror/etcd:3.6.8-0", NOTES["image"]]


@pytest.mark.parametrize("minor", ["1.34", "1.35", "1.36"])
def test_etcd_is_the_one_that_kubeadm_of_the_cluster_has(minor: str) -> None:
    found = workload(LEDGER, versions={"kubernetes": f"{minor}.0"})
    assert re.fullmatch(r"registry\.k8s\.io/etcd:3\.[56]\.\d+-0", container(found)["image"])


def test_labels_and_names_fit_for_the_longest_name() -> None:
    name = "a" + "b" * 38 + "c"
    topology = mesh({name: LEDGER})
    [found] = workloads_in(topology, "east")
    for each in objects(found):
        assert len(each["metadata"]["name"]) <= 63
        assert all(len(value) <= 63 for value in each["metadata"]["labels"].values())
    assert all(len(label) <= 63 for member in found.members() for label in member.split("."))
