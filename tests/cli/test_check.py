import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.projects import PROJECT, Files


def test_the_shipped_files_are_sound() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "cli.main", "check"], cwd=PROJECT, capture_output=True, text=True
    )
    assert (done.returncode, done.stdout) == (0, "ok: 2 clusters, nothing clashes\n")


def test_a_copied_stack_file_is_refused_with_every_clash(files: Files) -> None:
    files.path("north").write_text(files.text("east"))
    result = files.run("check")
    lines = result.stdout.splitlines()
    assert result.exit_code == 1
    assert len(lines) >= 6
    assert all(line.startswith("Pulumi.north.yaml: ") for line in lines[:-1])
    assert lines[-1] == f"{len(lines) - 1} to mend"


def test_mistakes_of_several_files_are_told_together(files: Files) -> None:
    files.replace("east", "podCidr: 10.101.0.0/16", "podCidr: 10.101.0.1/16")
    files.replace("west", "gateway:", "gatewy:")
    files.replace_shared("tunnelProtocol: geneve", "tunnelProtocol: gre")
    result = files.run("check")
    assert result.exit_code == 1
    assert "Traceback" not in result.output
    for words in (
        "Pulumi.east.yaml: network.podCidr: '10.101.0.1/16' does not begin where its range begins",
        "Pulumi.west.yaml: network.gatewy: is not a setting: did you mean gateway?",
        "Pulumi.yaml: mesh.tunnelProtocol: 'gre' is none of the choices",
    ):
        assert words in result.stdout


def test_a_program_reads_the_problems_as_json(files: Files) -> None:
    files.replace("west", "podCidr: 10.102.0.0/16", "podCidr: 10.101.0.0/16")
    result = files.run("check", "--json")
    assert result.exit_code == 1
    said = json.loads(result.stdout)
    assert said["ok"] is False
    [problem] = said["problems"]
    assert problem["file"] == "Pulumi.west.yaml"
    assert problem["key"] == "network.podCidr"
    assert problem["value"] == "10.101.0.0/16"
    assert set(problem) == {"file", "key", "value", "reason", "instead"}


def test_a_sound_project_is_sound_as_json(files: Files) -> None:
    said = files.says_json("check")
    assert said == {"ok": True, "clusters": 2, "problems": [], "notices": []}


def test_what_is_allowed_and_odd_is_a_warning_and_no_problem(files: Files) -> None:
    files.with_peers("west", "[]")
    result = files.run("check")
    assert (result.exit_code, result.stdout) == (0, "ok: 2 clusters, nothing clashes\n")
    assert result.stderr.startswith("warning: Pulumi.west.yaml: peers: leaves out east")


@pytest.mark.parametrize("text", ["[", "name: [", "nam: mesh", "- a", "\tname: mesh", ""])
def test_a_broken_project_file_is_told_in_words(files: Files, text: str) -> None:
    (files.directory / "Pulumi.yaml").write_text(text)
    assert "Pulumi.yaml" in files.refusal("check")


def test_a_directory_without_stack_files_is_told_what_to_add(tmp_path: Path, files: Files) -> None:
    for stack in ("east", "west"):
        files.path(stack).unlink()
    assert (
        files.refusal("check") == f"no stack file in {tmp_path}: add one such as Pulumi.east.yaml"
    )


@pytest.mark.parametrize(
    "arguments", [["chek"], ["check", "north"], ["add"], ["firewall", "--csv", "--json"]]
)
def test_a_wrong_command_line_ends_with_two(files: Files, arguments: list[str]) -> None:
    assert files.run(*arguments).exit_code == 2


def test_a_file_that_can_not_be_read_hides_no_clash_of_the_others(files: Files) -> None:
    files.path("north").write_text(files.text("east"))
    files.replace("west", "gateway:", "gatewy:")
    lines = files.run("check").stdout.splitlines()
    assert any(line.startswith("Pulumi.west.yaml: network.gatewy") for line in lines)
    assert any(line.startswith("Pulumi.north.yaml: cluster.id") for line in lines)
