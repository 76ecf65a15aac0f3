"""The workflows: safe for a repository that strangers send pull requests to."""

import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from cli.preview.report import refusal
from tests.mocks import PROJECT
from tests.test_docs import targets

FILES = sorted((PROJECT / ".github/workflows").glob("*.yml"))
EACH_FILE = pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)


def jobs(file: Path) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = yaml.safe_load(file.read_text())["jobs"]
    return found


def steps(file: Path) -> list[dict[str, Any]]:
    return [step for job in jobs(file).values() for step in job["steps"]]


def test_there_is_a_workflow_to_check_and_one_to_preview() -> None:
    assert [file.name for file in FILES] == ["check.yml", "preview.yml"]


@EACH_FILE
def test_every_action_is_pinned_to_a_commit_whose_version_stands_beside_it(file: Path) -> None:
    used = re.findall(r"uses: (.+)", file.read_text())
    assert used
    for action in used:
        assert re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", action)


def test_one_action_is_pinned_to_one_commit_everywhere() -> None:
    used = {use for file in FILES for use in re.findall(r"uses: (.+)", file.read_text())}
    assert len({use.partition("@")[0] for use in used}) == len(used)


@EACH_FILE
def test_a_job_has_the_rights_it_names_and_no_others(file: Path) -> None:
    assert yaml.safe_load(file.read_text())["permissions"] == {}
    for name, job in jobs(file).items():
        writes = {right for right, level in job["permissions"].items() if level == "write"}
        assert writes == ({"pull-requests"} if name in {"comment", "engine"} else set()), name
        assert job["timeout-minutes"] <= 30


@EACH_FILE
def test_no_words_of_a_stranger_are_ever_a_part_of_a_script(file: Path) -> None:
    for step in steps(file):
        script = step.get("run", "") + str(step.get("with", {}).get("script", ""))
        assert "${{" not in script
    assert "pull_request_target" not in file.read_text()


@EACH_FILE
def test_a_checkout_leaves_no_token_behind(file: Path) -> None:
    for step in steps(file):
        if step.get("uses", "").startswith("actions/checkout@"):
            assert step["with"]["persist-credentials"] is False


@EACH_FILE
def test_secrets_are_for_the_engine_on_branches_of_this_repository_only(file: Path) -> None:
    for name, job in jobs(file).items():
        if "secrets." in str(job):
            assert name == "engine"
            assert job["environment"] == "preview"
            own = "github.event.pull_request.head.repo.full_name == github.repository"
            assert own in job["if"]


def test_the_comment_is_found_again_by_the_mark_that_the_command_writes() -> None:
    [script] = [
        step["with"]["script"]
        for step in steps(PROJECT / ".github/workflows/preview.yml")
        if "script" in step.get("with", {})
    ]
    assert "`<!-- mesh-preview:${process.env.STACK} -->`" in script
    assert refusal("east", "no").startswith("<!-- mesh-preview:east -->\n")


def test_the_stack_files_are_found_and_strange_names_are_not(tmp_path: Path) -> None:
    [listing] = [
        step["run"]
        for step in steps(PROJECT / ".github/workflows/preview.yml")
        if step.get("id") == "list"
    ]
    for name in ("east", "west-2", "$(touch x)", "a b", "a.b"):
        (tmp_path / f"Pulumi.{name}.yaml").touch()
    # GitHub's runners have jq; a machine of ours may not.
    script = re.sub(r"jq [^)]*", "cat", f"GITHUB_OUTPUT=output; {listing}")
    subprocess.run(["bash", "-ec", script], cwd=tmp_path, check=True)
    assert (tmp_path / "output").read_text().split() == ["names=east", "west-2"]
    assert not (tmp_path / "x").exists()


def test_the_workflows_run_what_the_makefile_has() -> None:
    scripts = [str(step.get("run", "")) for file in FILES for step in steps(file)]
    called = re.findall(r"^\s*make ([^>\n]+)", "\n".join(scripts), re.MULTILINE)
    words = {word for line in called for word in line.split() if re.fullmatch("[a-z]+", word)}
    assert words == {"check", "venv", "preview", "policy"}
    assert words <= targets()
