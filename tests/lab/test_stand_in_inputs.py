import pulumi_vsphere as vsphere
import pytest

from lab.vsphere_stand_in.inputs import arguments_of, failures, parameters_of
from lab.vsphere_stand_in.wire import UNKNOWN, Properties, decode, encode, unknown_in

MACHINE = arguments_of(vsphere.VirtualMachineArgs)
GOOD = {
    "resourcePoolId": "resgroup-1",
    "name": "east-worker-1",
    "numCpus": 4,
    "enableDiskUuid": True,
    "clone": {"templateUuid": UNKNOWN, "timeout": 30},
    "disks": [{"label": "disk0", "size": 40}],
    "networkInterfaces": [{"networkId": "dvportgroup-1"}],
    "extraConfig": {"guestinfo.userdata": "text"},
}


def reasons(**changed: object) -> dict[str, str]:
    return {each.path: each.reason for each in failures(MACHINE, {**GOOD, **changed})}


def test_what_the_program_gives_is_accepted() -> None:
    assert reasons() == {}


@pytest.mark.parametrize(
    ("changed", "path", "words"),
    [
        ({"numCpu": 4}, "numCpu", "is not an input of pulumi_vsphere"),
        ({"num_cpus": 4}, "num_cpus", "it knows alternateGuestName"),
        ({"numCpus": "4"}, "numCpus", "is a string, but must be a whole number"),
        ({"numCpus": True}, "numCpus", "is true or false, but must be a whole number"),
        ({"numCpus": 1.5}, "numCpus", "is a number, but must be a whole number"),
        ({"name": 7}, "name", "is a whole number, but must be a string"),
        ({"disks": {"label": "disk0"}}, "disks", "is an object, but must be a list"),
        ({"disks": [{"size": 1}]}, "disks[0].label", "is required and was not given"),
        ({"clone": []}, "clone", "is a list, but must be an object"),
        ({"clone": {"templateUuid": "x", "uuid": "y"}}, "clone.uuid", "is not an input"),
        ({"extraConfig": {"a.b": 1}}, "extraConfig['a.b']", "must be a string"),
    ],
)
def test_a_wrong_input_is_named_with_what_it_must_be(
    changed: dict[str, object], path: str, words: str
) -> None:
    assert words in reasons(**changed)[path]


def test_a_refusal_never_shows_the_value() -> None:
    assert "hunter2" not in str(reasons(numCpus="hunter2"))


def test_a_missing_required_input_is_named() -> None:
    assert [failure.path for failure in failures(MACHINE, {})] == ["resourcePoolId"]


def test_lookups_know_their_parameters() -> None:
    declared = parameters_of(vsphere.get_virtual_machine)
    assert failures(declared, {"datacenterId": "datacenter-1", "extraConfig": {"k": ""}}) == []
    assert failures(declared, {"datacenter": "x"})[0].path == "datacenter"


def test_secrets_and_unknown_values_survive_the_wire() -> None:
    sent = Properties(
        {"password": {"a": "b"}, "id": UNKNOWN, "size": 40, "on": False, "none": []},
        frozenset({"password"}),
    )
    assert decode(encode(sent)) == sent
    assert unknown_in(sent.values)


def test_a_secret_inside_a_property_makes_the_property_secret() -> None:
    inner = encode(Properties({"userdata": "text"}, frozenset({"userdata"})))
    outer = encode(Properties({}))
    outer.fields["extraConfig"].struct_value.CopyFrom(inner)
    assert decode(outer) == Properties(
        {"extraConfig": {"userdata": "text"}}, frozenset({"extraConfig"})
    )
