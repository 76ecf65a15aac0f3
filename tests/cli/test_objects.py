from cli.repair.objects import ObjectReference, half_made_objects, was_written_by_pulumi
from cli.state import State
from tests.cli.states import creating, resource

INPUTS = {
    "apiVersion": "v1",
    "kind": "Secret",
    "metadata": {"name": "cilium-ca", "namespace": "kube-system"},
}
SECRET = resource("kubernetes:core/v1:Secret", "east-cilium-ca", inputs=INPUTS)


def test_an_object_whose_creation_was_cut_short_is_named() -> None:
    [found] = half_made_objects(creating(SECRET))
    assert found == ObjectReference("v1", "Secret", "kube-system", "cilium-ca")
    assert str(found) == "Secret cilium-ca in kube-system"


def test_an_object_the_state_knows_stays() -> None:
    state = State(resources=(SECRET,), pending=creating(SECRET).pending)
    assert list(half_made_objects(state)) == []


def test_the_target_of_a_patch_a_release_and_a_machine_are_no_half_made_objects() -> None:
    kinds = (
        "kubernetes:core/v1:ConfigMapPatch",
        "kubernetes:apps/v1:DeploymentPatch",
        "kubernetes:helm.sh/v3:Release",
        "vsphere:index/virtualMachine:VirtualMachine",
    )
    pending = creating(*(resource(kind, "one", inputs=INPUTS) for kind in kinds))
    assert list(half_made_objects(pending)) == []


def test_an_object_without_a_name_of_its_own_is_passed_over() -> None:
    nameless = resource("kubernetes:core/v1:Secret", "one", inputs={"kind": "Secret"})
    assert list(half_made_objects(creating(nameless))) == []


def test_only_what_pulumi_wrote_counts_as_ours() -> None:
    managers = [{"manager": "kubectl"}, {"manager": "pulumi-kubernetes-65b20e45"}]
    assert was_written_by_pulumi({"metadata": {"managedFields": managers}})
    assert not was_written_by_pulumi({"metadata": {"managedFields": managers[:1]}})
    assert not was_written_by_pulumi({"metadata": {}})
