"""The whole program, run for every stack file under recording mocks."""

import itertools
import json
from pathlib import Path

import pulumi
import pytest
import yaml

from mesh.endpoint import planned_endpoint
from mesh.pki import certificate_authority
from mesh.settings import config_from_engine, settings_from_config
from tests.mocks import NAME, PROJECT, TEMPLATE, Run, config_of, is_secret, run_program, unwrap

STACKS = sorted(path.name.split(".")[1] for path in PROJECT.glob("Pulumi.*.yaml"))
AUTHORITY = yaml.safe_load((PROJECT / "Pulumi.yaml").read_text())["config"]["mesh"]["value"][
    "authority"
]
CA = certificate_authority("test", 10).as_mapping()
OTHER_CA = certificate_authority("other", 10).as_mapping()
COMPONENTS = "mesh:"


def endpoint_of(stack: str) -> dict[str, object]:
    config = config_from_engine(config_of(stack), NAME)
    return planned_endpoint(settings_from_config(f"Pulumi.{stack}.yaml", config)).as_output()


def exported(*stacks: str) -> dict[str, dict[str, object]]:
    return {stack: {"endpoint": endpoint_of(stack), "meshCa": CA} for stack in stacks}


def changed(stack: str, key: str, **fields: object) -> dict[str, str]:
    config = config_of(stack)
    group = json.loads(config[f"{NAME}:{key}"])
    return config | {f"{NAME}:{key}": json.dumps(group | fields)}


def refusal(stack: str, **how: object) -> pulumi.RunError:
    with pytest.raises(pulumi.RunError) as refused:
        run_program(stack, **how)  # type: ignore[arg-type]
    registered = refused.value.monitor.registered  # type: ignore[attr-defined]
    assert {one.type for one in registered} == {"pulumi:pulumi:Stack"}
    return refused.value


@pytest.fixture(scope="module", params=STACKS)
def stack(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module", params=["preview", "up"])
def run(request: pytest.FixtureRequest, stack: str) -> Run:
    others = [other for other in STACKS if other != stack]
    return run_program(stack, preview=request.param == "preview", exports=exported(*others))


def test_every_resource_in_a_vcenter_or_a_cluster_names_its_provider(run: Run) -> None:
    for resource in run.custom:
        if resource.type.split(":")[0] in {"vsphere", "kubernetes"}:
            package = resource.type.split(":")[0]
            assert f"pulumi:providers:{package}::" in resource.request.provider, resource.name
            assert "::default" not in resource.request.provider, resource.name


def test_every_question_to_a_vcenter_names_its_provider(run: Run) -> None:
    assert len(run.monitor.calls) == 6
    assert all("pulumi:providers:vsphere" in call.provider for call in run.monitor.calls)


def test_what_is_secret_is_marked(run: Run, stack: str) -> None:
    for machine in run.of("VirtualMachine"):
        assert is_secret(machine.inputs["extraConfig"])
        assert "extraConfig" in machine.request.additionalSecretOutputs
    assert is_secret(run.one(f"{stack}-cilium-ca").inputs["stringData"])
    assert is_secret(run.one(f"{stack}-vcenter").inputs["password"])
    [access] = run.of("kubernetes")
    assert is_secret(access.inputs["kubeconfig"])
    for kept in ("mesh-ca", "secrets", "admin-1"):
        stash = next(s for s in run.of("Stash") if s.name == f"{stack}-{kept}")
        assert is_secret(stash.inputs["input"])
    assert is_secret(run.outputs["kubeconfig"])
    assert is_secret(run.outputs["meshCa"])


def test_no_private_key_and_no_password_leaves_unmarked(run: Run) -> None:
    def without_secrets(value: object) -> object:
        if is_secret(value):
            return "secret"
        if isinstance(value, dict):
            return {key: without_secrets(inner) for key, inner in value.items()}
        return [without_secrets(v) for v in value] if isinstance(value, list) else value

    sent = [resource.inputs for resource in run.made]
    told = list(run.monitor.component_outputs.values())
    clear = json.dumps(without_secrets([*sent, *told]))
    assert "PRIVATE KEY" not in clear
    assert "correct horse" not in clear
    assert "client-key-data" not in clear


def test_the_cluster_is_exported_for_its_peers_without_a_secret(run: Run, stack: str) -> None:
    assert run.outputs["endpoint"] == endpoint_of(stack)
    told = {"endpoint", "kubeconfig", "meshCa", "peers", "certificates", "firewall"}
    assert set(run.outputs) == told
    assert not is_secret(run.outputs["certificates"]["adminNotAfter"])


def test_what_is_made_once_is_never_made_again(run: Run) -> None:
    for stash in run.of("Stash"):
        kept = not stash.name.endswith("-lifetime")
        assert list(stash.request.ignoreChanges) == (["input"] if kept else [])


def test_the_mesh_ca_and_the_control_planes_are_protected_and_workers_are_not(run: Run) -> None:
    protected = {r.name.split("-", 1)[1] for r in run.made if r.request.protect}
    assert protected == {"mesh-ca", "control-plane-1"}


def test_a_rebuilt_template_or_other_user_data_leaves_a_running_machine_alone(run: Run) -> None:
    for machine in run.of("VirtualMachine"):
        assert set(machine.request.ignoreChanges) == {
            "clone",
            "extraConfig",
            "guestId",
            "firmware",
            "scsiType",
            "networkInterfaces[*].adapterType",
            "disks[*].thinProvisioned",
            "disks[*].eagerlyScrub",
        }
        assert machine.inputs["extraConfigRebootRequired"] is False
        assert len(machine.inputs["replaceTrigger"]) == 12


def test_machines_are_made_one_at_a_time(run: Run) -> None:
    machines = run.of("VirtualMachine")
    for before, machine in itertools.pairwise(machines):
        assert any(urn.endswith(f"::{before.name}") for urn in machine.request.dependencies)


def test_a_disk_has_the_size_in_the_settings(run: Run) -> None:
    sizes = {
        m.name.split("-", 1)[1]: m.inputs["disks"][0]["size"] for m in run.of("VirtualMachine")
    }
    assert sizes["control-plane-1"] == 40
    assert sizes["worker-1"] == 100


def refusal_by_vcenter(**how: object) -> str:
    with pytest.raises(pulumi.RunError) as refused:
        run_program("east", **how)  # type: ignore[arg-type]
    registered = refused.value.monitor.registered  # type: ignore[attr-defined]
    made = {one.type for one in registered} - {"pulumi:pulumi:Stack"}
    assert made == {"mesh:cluster:MeshCluster", "pulumi:providers:vsphere"}
    return str(refused.value)


def test_a_disk_smaller_than_the_templates_is_refused_by_its_key() -> None:
    nodes = json.loads(config_of("east")[f"{NAME}:nodes"])
    small = {role: nodes[role] | {"diskGib": 19} for role in ("controlPlane", "worker")}
    lines = refusal_by_vcenter(config=changed("east", "nodes", **small)).splitlines()
    assert lines == [
        f"Pulumi.east.yaml: nodes.{role}.diskGib: 19 is less than the 20 GiB that the disk of "
        "template kubernetes-1.36.3 has: write 20 or more"
        for role in ("controlPlane", "worker")
    ]


def test_a_template_without_a_disk_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(TEMPLATE, "disks", [])
    assert "'kubernetes-1.36.3' has no disk" in refusal_by_vcenter()


def test_all_names_a_vcenter_refuses_are_said_at_once_with_their_keys() -> None:
    names = ("Compute", "Datastore", "Nodes", "kubernetes-1.36.3", "/Datacenter/vm/mesh")
    lines = refusal_by_vcenter(refused={*names}).splitlines()
    assert [line.split(" can't be used: ")[0] for line in lines] == [
        "Pulumi.east.yaml: vsphere.cluster: 'Compute'",
        "Pulumi.east.yaml: vsphere.datastore: 'Datastore'",
        "Pulumi.east.yaml: vsphere.portGroup: 'Nodes'",
        "Pulumi.east.yaml: vsphere.folder: 'mesh/east'",
        "Pulumi.east.yaml: vsphere.template: 'kubernetes-1.36.3'",
    ]
    assert "can't be used: nothing is named Compute" in lines[0]


def test_a_refused_datacenter_is_named_and_nothing_else_is_asked() -> None:
    [line] = refusal_by_vcenter(refused={"Datacenter", "Compute"}).splitlines()
    assert line.startswith("Pulumi.east.yaml: vsphere.datacenter: 'Datacenter' can't be used: ")


def test_a_folder_below_the_root_has_no_parent_to_ask_for() -> None:
    run = run_program("east", config=changed("east", "vsphere", folder="east"))
    assert len(run.monitor.calls) == 5


def test_the_corefile_is_patched_and_stays_when_the_stack_goes(run: Run) -> None:
    patches = [r for r in run.made if r.type.endswith("Patch")]
    assert len(patches) == 2
    for patch in patches:
        assert patch.request.retainOnDelete
        annotations = patch.inputs["metadata"]["annotations"]
        assert annotations["pulumi.com/patchForce"] == "true"
        assert annotations["pulumi.com/patchFieldManager"] == "vsphere-cluster-mesh"


def test_everything_in_the_cluster_goes_with_the_cluster(run: Run, stack: str) -> None:
    inside = [r for r in run.custom if r.type.startswith("kubernetes:")]
    assert len(inside) > 8
    for resource in inside:
        assert resource.request.deletedWith.endswith(f"pulumi:index:Stash::{stack}-lifetime")


def test_the_cluster_is_waited_for_before_its_provider_looks_for_it(run: Run, stack: str) -> None:
    [access] = run.of("kubernetes")
    assert list(access.request.hooks.before_create) == [f"{stack}-ready"]
    assert access.inputs["clusterIdentifier"] == stack
    after = "\n".join(run.one(f"{stack}-kubernetes").request.dependencies)
    assert all(f"::{machine.name}" in after for machine in run.of("VirtualMachine"))


def test_services_are_exposed_after_pools_and_advertisement(run: Run, stack: str) -> None:
    after = "\n".join(run.one(f"{stack}-exposure").request.dependencies)
    for name in ("metallb-reserved", "metallb-workloads", "metallb-nodes", "cilium"):
        assert f"::{stack}-{name}" in after


def test_core_dns_and_metallb_come_after_cilium(run: Run, stack: str) -> None:
    for part in (*run.of("CoreDns"), *run.of("MetalLB")):
        after = part.request.dependencies
        assert any(urn.endswith(f"Release::{stack}-cilium") for urn in after)


def test_services_are_open_to_the_nodes_of_the_mesh_only(run: Run, stack: str) -> None:
    for service in run.of("Service"):
        assert service.inputs["spec"]["loadBalancerSourceRanges"] == ["10.11.84.0/22"]
        assert service.inputs["spec"]["allocateLoadBalancerNodePorts"] is False
    dns = run.one(f"{stack}-exposure-mesh-dns").inputs["spec"]["ports"]
    assert [(p["protocol"], p["port"], p["targetPort"]) for p in dns] == [
        ("UDP", 53, 1053),
        ("TCP", 53, 1053),
    ]


def test_releases_are_found_by_helm_under_their_own_names_and_leave_no_ruin(run: Run) -> None:
    for release in run.of("Release"):
        assert release.inputs["name"] in {"cilium", "metallb"}
        assert release.inputs["atomic"] is True
        assert release.inputs["version"]


def test_workers_stay_on_different_hosts(run: Run) -> None:
    [rule] = run.of("ComputeClusterVmAntiAffinityRule")
    assert len(rule.inputs["virtualMachineIds"]) == 3
    assert list(rule.request.replaceOnChanges) == ["virtualMachineIds"]
    assert rule.request.deleteBeforeReplace


def test_the_authority_goes_first_while_its_peers_are_empty() -> None:
    run = run_program(AUTHORITY)
    assert {peer["status"] for peer in run.outputs["peers"].values()} == {"planned"}
    for stack, peer in run.outputs["peers"].items():
        assert peer["next"] == f"pulumi up -s {stack}"


def test_a_peer_that_was_never_initialised_is_the_engines_own_error() -> None:
    [other, *_] = [stack for stack in STACKS if stack != AUTHORITY]
    with pytest.raises(Exception, match=f"unknown stack .*{other}"):
        run_program(AUTHORITY, exports={other: None})


def test_a_cluster_without_its_authority_says_what_to_run_first() -> None:
    [other, *_] = [stack for stack in STACKS if stack != AUTHORITY]
    assert f"Run first: pulumi up -s {AUTHORITY}" in str(refusal(other))


def test_a_cluster_keeps_the_ca_it_adopted_when_the_authority_is_gone() -> None:
    [other, *_] = [stack for stack in STACKS if stack != AUTHORITY]
    run = run_program(other, exports={other: {"meshCa": CA}})
    assert unwrap(run.outputs["meshCa"]) == CA


def test_the_authority_keeps_the_ca_it_made() -> None:
    run = run_program(AUTHORITY, exports={AUTHORITY: {"meshCa": CA}})
    assert unwrap(run.outputs["meshCa"]) == CA


def test_another_ca_than_the_adopted_one_is_refused() -> None:
    [other, *_] = [stack for stack in STACKS if stack != AUTHORITY]
    exports = {other: {"meshCa": CA}, AUTHORITY: {"meshCa": OTHER_CA}}
    assert "exports another mesh CA" in str(refusal(other, exports=exports))


def test_a_ca_kept_by_an_up_that_failed_must_be_the_authoritys() -> None:
    [other, *_] = [stack for stack in STACKS if stack != AUTHORITY]
    kept = {f"{other}-mesh-ca": OTHER_CA}
    with pytest.raises(pulumi.RunError, match="exports another mesh CA") as refused:
        run_program(other, exports={AUTHORITY: {"meshCa": CA}}, kept=kept)
    registered = refused.value.monitor.registered  # type: ignore[attr-defined]
    assert not any(one.type.endswith((":VirtualMachine", ":Secret")) for one in registered)


def test_a_ca_kept_by_an_up_that_failed_is_the_authoritys_own() -> None:
    run = run_program(AUTHORITY, kept={f"{AUTHORITY}-mesh-ca": OTHER_CA})
    assert unwrap(run.outputs["meshCa"]) == OTHER_CA


def test_a_ca_under_another_passphrase_is_named_as_such() -> None:
    [other, *_] = [stack for stack in STACKS if stack != AUTHORITY]
    error = refusal(other, exports={AUTHORITY: {"meshCa": {}}})
    assert "PULUMI_CONFIG_PASSPHRASE" in str(error)
    assert AUTHORITY in str(error)


def test_an_endpoint_of_another_schema_names_the_stack() -> None:
    [other, *_] = [stack for stack in STACKS if stack != AUTHORITY]
    error = refusal(AUTHORITY, exports={other: {"endpoint": {"schema": 9}}})
    assert f"output endpoint of stack {other}" in str(error)


def test_a_change_that_a_running_cluster_cannot_take_is_refused_before_anything_is_made() -> None:
    built = {AUTHORITY: {"endpoint": endpoint_of(AUTHORITY), "meshCa": CA}}
    pods = changed(AUTHORITY, "network", podCidr="10.120.0.0/16")
    assert "10.101.0.0/16 in the cluster that runs" in str(
        refusal(AUTHORITY, exports=built, config=pods)
    )


def test_a_peer_that_is_not_what_it_plans_is_warned_of() -> None:
    [other, *_] = [stack for stack in STACKS if stack != AUTHORITY]
    old = endpoint_of(other) | {"ciliumVersion": "1.19.0"}
    run = run_program(AUTHORITY, exports={other: {"endpoint": old}})
    assert any(f"run pulumi up -s {other}" in message for message in run.messages)


def test_every_problem_in_the_settings_is_said_at_once() -> None:
    config = changed("east", "network", podCidr="10.1/8") | {f"{NAME}:clutser": "{}"}
    lines = str(refusal("east", config=config)).splitlines()
    assert len(lines) >= 2
    assert any("podCidr" in line for line in lines)
    assert any("clutser" in line for line in lines)


def test_a_peer_without_a_stack_file_is_refused_by_name() -> None:
    config = config_of("east") | {f"{NAME}:peers": '["north"]'}
    assert "'north' is no other stack with a file here" in str(refusal("east", config=config))


def test_a_missing_vcenter_password_is_said_before_anything_is_made() -> None:
    config = config_of("east")
    del config[f"{NAME}:vcenterPassword"]
    assert "vcenterPassword" in str(refusal("east", config=config))


def test_control_planes_can_be_unprotected_by_a_setting() -> None:
    run = run_program("east", config=changed("east", "nodes", protectControlPlanes=False))
    assert not any(machine.request.protect for machine in run.of("VirtualMachine"))


def test_a_cluster_that_forwards_no_dns_exposes_none() -> None:
    run = run_program("east", config=config_of("east") | {f"{NAME}:dns": '{"forwarding": false}'})
    assert [service.name for service in run.of("Service")] == [
        "east-exposure-clustermesh-apiserver"
    ]


def test_an_admin_certificate_near_its_end_gets_a_successor_and_a_warning() -> None:
    last = {"adminGeneration": 1.0, "adminNotAfter": "2020-01-01T00:00:00+00:00"}
    run = run_program(AUTHORITY, exports={AUTHORITY: {"certificates": last, "meshCa": CA}})
    assert "east-admin-2" in [stash.name for stash in run.of("Stash")]
    assert run.outputs["certificates"]["adminGeneration"] == 2
    assert any("kubeconfig ends on 2020-01-01" in message for message in run.messages)


def test_a_mesh_ca_near_its_end_is_warned_of() -> None:
    old = certificate_authority("old", 0).as_mapping()
    run = run_program(AUTHORITY, exports={AUTHORITY: {"meshCa": old}})
    assert any("CA of the mesh ends in" in message for message in run.messages)


def test_main_is_short_enough_to_read_at_a_glance() -> None:
    assert len(Path(PROJECT / "__main__.py").read_text().splitlines()) <= 40
