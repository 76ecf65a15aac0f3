"""The whole program with workloads in its project file, run for each stack under mocks."""

import json
from typing import Any

import pytest

from mesh.pki import certificate_authority, workload_authority
from mesh.workloads import manifests, namespace, workloads_in
from tests.mesh.workloads.written import LEDGER, NOTES, mesh
from tests.mocks import NAME, Run, config_of, is_secret, run_program, unwrap

MESH_CA = certificate_authority("test", 10)
NOTES_ELSEWHERE = {**NOTES, "namespace": "notes"}


def run(stack: str, exports: dict[str, Any] | None = None, **workloads: Any) -> Run:
    written = workloads or {"ledger": LEDGER, "notes": NOTES_ELSEWHERE}
    config = config_of(stack) | {f"{NAME}:workloads": json.dumps(written)}
    own = {"meshCa": MESH_CA.as_mapping(), **(exports or {})}
    return run_program(stack, exports={stack: own}, config=config)


@pytest.fixture(scope="module", params=["east", "west"])
def made(request: pytest.FixtureRequest) -> tuple[str, Run]:
    return request.param, run(request.param)


def of_workloads(made: Run) -> list[Any]:
    return [one for one in made.custom if "-ledger" in one.name or "-notes" in one.name]


def test_nothing_of_a_workload_uses_what_another_stack_exported(made: tuple[str, Run]) -> None:
    stack, found = made
    alone = {one.name: one.inputs for one in of_workloads(found) if "Secret" not in one.type}
    exports = {other: {"meshCa": MESH_CA.as_mapping()} for other in ("east", "west")}
    written = json.dumps({"ledger": LEDGER, "notes": NOTES_ELSEWHERE})
    config = config_of(stack) | {f"{NAME}:workloads": written}
    together = run_program(stack, exports=exports, config=config)
    again = {one.name: one.inputs for one in of_workloads(together) if "Secret" not in one.type}
    stashes = {name for name in alone if "certificates" in name}
    assert len(stashes) == 2
    for name in alone.keys() - stashes:
        assert again[name] == alone[name]


def test_both_stacks_render_the_same_members_and_trust_the_same_ca() -> None:
    def told(stack: str) -> tuple[Any, Any]:
        found = run(stack)
        [listed] = [one for one in found.of("ConfigMap") if "ledger-members" in one.name]
        data = [
            unwrap(one.inputs["stringData"]) for one in found.of("Secret") if "-ledger-" in one.name
        ]
        return listed.inputs["data"], {one["ca.crt"] for one in data}

    east, west = told("east"), told("west")
    assert east == west
    assert east[1] == {workload_authority(MESH_CA, "ledger").certificate}


def test_every_key_of_a_workload_is_secret_in_the_state(made: tuple[str, Run]) -> None:
    found = made[1]
    secrets = [one for one in found.of("Secret") if one in of_workloads(found)]
    assert len(secrets) == 5
    for secret in secrets:
        assert is_secret(secret.inputs["stringData"])
    for stash in found.of("Stash"):
        if "certificates" in stash.name:
            assert is_secret(stash.inputs["input"])
            assert list(stash.request.ignoreChanges) == ["input"]
    assert "PRIVATE KEY" not in json.dumps(found.outputs["workloads"])


def test_no_change_of_volumes_replaces_a_stateful_set(made: tuple[str, Run]) -> None:
    [members, *_] = [one for one in made[1].of("StatefulSet") if "-ledger-" in one.name]
    assert list(members.request.ignoreChanges) == ["spec.volumeClaimTemplates"]


def test_no_ca_key_reaches_kubernetes(made: tuple[str, Run]) -> None:
    keys = [MESH_CA.key, workload_authority(MESH_CA, "ledger").key]
    for one in made[1].of("Secret"):
        if one in of_workloads(made[1]):
            text = json.dumps(unwrap(one.inputs["stringData"]))
            assert not any(json.dumps(key)[1:-1] in text for key in keys)


def test_all_of_it_goes_with_the_cluster_and_a_namespace_with_data_stays(
    made: tuple[str, Run],
) -> None:
    stack, found = made
    for one in of_workloads(found):
        if one.type.startswith("kubernetes:"):
            assert one.request.deletedWith.endswith(f"pulumi:index:Stash::{stack}-lifetime")
            assert one.request.retainOnDelete == one.type.endswith(":Namespace"), one.name


def test_a_pod_comes_after_what_it_reads_and_a_job_after_the_pods(made: tuple[str, Run]) -> None:
    found = made[1]
    [pods] = [one for one in found.of("StatefulSet") if "-ledger" in one.name]
    before = "\n".join(pods.request.dependencies)
    assert all(f"v1:{kind}::" in before for kind in ("Secret", "ConfigMap", "Service", "Namespace"))
    [job] = [one for one in found.of("Job") if "-ledger" in one.name]
    assert any("apps/v1:StatefulSet::" in urn for urn in job.request.dependencies)


def test_a_stack_exports_how_its_workloads_are_reached(made: tuple[str, Run]) -> None:
    stack, found = made
    told = found.outputs["workloads"]["ledger"]
    namespace = {"east": "ledger", "west": "ledger-west"}[stack]
    assert told["client"] == f"ledger-public.{namespace}.svc.cluster.local:2379"
    assert len(told["members"]) == 3
    assert told["jobs"]["verify"].startswith("ledger-verify-")
    assert not is_secret(told["notAfter"])
    assert told["generation"] == 1


def test_a_stack_without_a_part_of_it_makes_nothing() -> None:
    only_west = {**LEDGER, "clusters": {"west": {"replicas": 1}}}
    found = run("east", ledger=only_west)
    assert not of_workloads(found)
    assert "workloads" not in found.outputs


def test_certificates_near_their_end_get_successors_and_a_warning() -> None:
    last = {"ledger": {"generation": 1.0, "notAfter": "2020-01-01T00:00:00+00:00"}}
    found = run("east", {"workloads": last})
    kept = [one.name for one in found.of("Stash") if "ledger-certificates-2-" in one.name]
    assert len(kept) == 1
    assert found.outputs["workloads"]["ledger"]["generation"] == 2
    assert found.outputs["workloads"]["notes"]["generation"] == 1
    assert any("ledger end on 2020-01-01" in message for message in found.messages)


def test_the_engine_is_given_the_objects_as_they_are_rendered(made: tuple[str, Run]) -> None:
    stack, found = made
    written = {"ledger": LEDGER, "notes": NOTES_ELSEWHERE}
    for workload in workloads_in(mesh(written, stack), stack):
        site = workload.site(stack)
        for wanted in (namespace(site), *manifests(workload, site, 1)):
            [given] = [
                one.inputs
                for one in of_workloads(found)
                if one.type.endswith(f":{wanted['kind']}")
                and one.inputs["metadata"]["name"] == wanted["metadata"]["name"]
                and one.inputs["metadata"].get("namespace") == wanted["metadata"].get("namespace")
            ]
            for part in wanted:
                assert given[part] == wanted[part], part
