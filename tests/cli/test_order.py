import json
from typing import Any

import pytest

from cli.order import Outputs, Step, first_steps, next_steps
from mesh.endpoint import planned_endpoint
from tests.cli.conftest import Mesh
from tests.cli.projects import Files


def exported(files: Files, stack: str, **changes: Any) -> dict[str, Any]:
    """What a stack exports that is what its file says."""
    project = files.load()
    endpoint = planned_endpoint(project.settings[stack]).as_output()
    known = {one: {"status": "exported", "next": ""} for one in project.topology.peers_of(stack)}
    return {"endpoint": endpoint | changes, "peers": known}


def due(files: Files, outputs: Outputs) -> list[tuple[str, str]]:
    return [(step.command, step.why) for step in next_steps(files.load(), outputs)]


def test_the_authority_makes_the_ca_before_the_others_join(files: Files) -> None:
    files.replace_shared("authority: east ", "authority: west ")
    assert due(files, {"east": {}, "west": {}}) == [
        ("pulumi up -s west", "makes the CA of the mesh"),
        ("pulumi up -s east", "was never brought up"),
    ]
    assert first_steps(files.load())[0] == Step("pulumi up -s west", "makes the CA of the mesh")


def test_a_stack_that_was_never_initialised_is_that_first(files: Files) -> None:
    assert due(files, {"east": exported(files, "east"), "west": None}) == [
        ("mesh init", "never initialised: west"),
        ("pulumi up -s west", "was never brought up"),
    ]


def test_nothing_is_due_when_every_stack_is_what_its_file_says(files: Files) -> None:
    outputs = {stack: exported(files, stack) for stack in ("east", "west")}
    assert due(files, outputs) == []


def test_a_new_cluster_comes_before_those_that_must_hear_of_it(files: Files) -> None:
    before = {stack: exported(files, stack) for stack in ("east", "west")}
    files.says("add", "north")
    assert due(files, {**before, "north": {}}) == [
        ("pulumi up -s north", "was never brought up"),
        ("pulumi up -s east", "doesn't know north yet"),
        ("pulumi up -s west", "doesn't know north yet"),
    ]


def test_a_cluster_that_leaves_is_let_go_by_the_others(files: Files) -> None:
    files.says("add", "north")
    before = {stack: exported(files, stack) for stack in ("east", "west", "north")}
    files.says("remove", "north")
    assert due(files, before) == [
        ("pulumi up -s east", "still dials north"),
        ("pulumi up -s west", "still dials north"),
    ]


def test_who_dials_a_changed_address_follows_its_owner(files: Files) -> None:
    before = {stack: exported(files, stack) for stack in ("east", "west")}
    files.replace("west", "dnsAddress: 10.11.84.32", "dnsAddress: 10.11.84.42")
    assert due(files, before) == [
        ("pulumi up -s west", "is not what Pulumi.west.yaml says"),
        ("pulumi up -s east", "follows west"),
    ]


def test_an_address_metallb_chooses_takes_one_more_up_of_the_others(files: Files) -> None:
    files.replace("west", "etcdAddress: 10.11.84.31", "etcdAddress: auto")
    east = exported(files, "east")
    assert due(files, {"east": {}, "west": {}}) == [
        ("pulumi up -s east", "makes the CA of the mesh"),
        ("pulumi up -s west", "was never brought up"),
        ("pulumi up -s east", "follows west"),
    ]
    east["peers"]["west"]["status"] = "pending"
    west = exported(files, "west", etcd={"ip": "10.11.84.33", "port": 2379})
    assert due(files, {"east": east, "west": west}) == [
        ("pulumi up -s east", "waits for the addresses of west"),
    ]


def test_an_endpoint_of_another_program_is_due_in_words(files: Files) -> None:
    east = exported(files, "east", schema=9)
    [(command, why)] = due(files, {"east": east, "west": exported(files, "west")})
    assert command == "pulumi up -s east"
    assert why.startswith("exported what this program can't read: endpoint.schema is 9")


def test_without_an_engine_it_is_the_order_of_a_first_up(
    files: Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PULUMI_ROOT", str(files.directory / "nothing"))
    result = files.run("order")
    assert result.exit_code == 0
    assert [line.partition("#")[0].strip() for line in result.stdout.splitlines()] == [
        "pulumi up -s east",
        "pulumi up -s west",
    ]
    assert result.stderr.startswith("what the stacks exported is unknown")
    assert json.loads(files.run("order", "--json").stdout)["known"] is False


def test_an_order_for_files_that_clash_is_given_with_a_warning(
    files: Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PULUMI_ROOT", str(files.directory / "nothing"))
    files.replace("west", "id: 2 ", "id: 1 ")
    result = files.run("order")
    assert result.exit_code == 0
    assert "pulumi up -s west" in result.stdout
    assert result.stderr.startswith("warning: Pulumi.west.yaml: cluster.id: 1 ")


@pytest.mark.engine
def test_the_real_engine_says_what_was_never_initialised(mesh: Mesh) -> None:
    result = mesh.run("order", "--json")
    said = json.loads(result.stdout)
    assert said["known"] is True
    assert said["steps"][0] == {"command": "mesh init", "why": "never initialised: east, west"}
    mesh.run("init")
    commands = [step["command"] for step in json.loads(mesh.run("order", "--json").stdout)["steps"]]
    assert commands == ["pulumi up -s east", "pulumi up -s west"]
    assert "planned · id 2" in mesh.run("diagram", "--live").stdout
