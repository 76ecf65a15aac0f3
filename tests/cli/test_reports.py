import csv
import io
import json
import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from cli.terminal import stack_names
from tests.cli.projects import PROJECT, Files


def test_the_firewall_list_comes_as_markdown_csv_and_json(files: Files) -> None:
    markdown = files.says("firewall")
    assert markdown == files.says("firewall", "--markdown")
    rows = list(csv.DictReader(io.StringIO(files.says("firewall", "--csv"))))
    rules = files.says_json("firewall")
    assert [row["to"] for row in rows] == [rule["destination"] for rule in rules]
    assert markdown.count("\n| east | west |") == 6
    assert rules[0]["destinations"] == ["10.11.84.31"]


def test_the_firewall_list_of_one_stack_leaves_the_others_out(files: Files) -> None:
    files.says("add", "north")
    rules = json.loads(files.says("firewall", "-s", "north", "--json"))
    assert rules
    assert all("north" in (r["source"], r["destination"]) for r in rules if r["kind"] == "mesh")
    assert "no Pulumi.south.yaml here" in files.refusal("firewall", "-s", "south")


def test_the_picture_goes_into_a_file_and_the_words_beside_it(files: Files) -> None:
    result = files.run("diagram", "-o", "mesh.svg")
    assert (result.stdout, result.stderr) == ("", "wrote mesh.svg\n")
    text = (files.directory / "mesh.svg").read_text(encoding="utf-8")
    assert ElementTree.fromstring(text).tag.endswith("svg")
    assert files.says("diagram") == text


def test_the_flowchart_fits_into_a_fence(files: Files) -> None:
    lines = files.says("diagram", "--mermaid").splitlines()
    assert lines[0] == "flowchart LR"
    assert not any(line.startswith("```") for line in lines)


def test_the_runbook_names_these_clusters(files: Files) -> None:
    assert files.says("runbook").startswith("# Runbook of the mesh of east and west\n")


@pytest.mark.parametrize("command", ["firewall", "diagram", "runbook"])
def test_a_file_that_can_not_be_written_is_named(files: Files, command: str) -> None:
    assert files.refusal(command, "-o", "no/such") == "no/such can't be written: " + os.strerror(2)


@pytest.mark.parametrize("command", ["firewall", "diagram", "runbook", "order", "kubeconfig"])
def test_wrong_settings_are_told_and_nothing_is_made(files: Files, command: str) -> None:
    files.replace("west", "gateway:", "gatewy:")
    arguments = ["--show"] if command == "kubeconfig" else []
    assert "did you mean gateway?" in files.refusal(command, *arguments)


@pytest.mark.parametrize("command", ["firewall", "diagram", "runbook"])
def test_clashing_files_are_told_as_by_check_and_nothing_is_made(
    files: Files, command: str
) -> None:
    files.path("north").write_text(files.text("east"))
    found = files.run("check").stdout.splitlines()[:-1]
    assert any("cluster.name" in line for line in found)
    assert files.refusal(command).splitlines() == ["mend these first:", *found]


def test_the_shell_completes_the_names_of_stacks(files: Files) -> None:
    files.says("add", "waste")
    assert stack_names("w") == ["waste", "west"]
    environment = {
        **os.environ,
        "_MESH_COMPLETE": "complete_bash",
        "COMP_WORDS": "mesh remove wes",
        "COMP_CWORD": "2",
    }
    command = Path(sys.executable).parent / "mesh"
    done = subprocess.run([command], env=environment, capture_output=True, text=True, cwd=PROJECT)
    assert done.stdout.split() == ["west"]
