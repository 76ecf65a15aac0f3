"""`mesh preview` as people use it: against a commit, in a directory with a repository."""

import shutil
import subprocess
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cli.app import app
from cli.failure import Failure
from cli.preview import comparison
from cli.preview.base import base_commit
from tests.cli.preview.conftest import copy_of_the_stack_files, edited, group
from tests.mocks import PROJECT

IDENTITY = ["-c", "user.name=A", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false"]


def git(project: Path, *arguments: str) -> None:
    command = ["git", "-C", str(project), *IDENTITY, *arguments]
    subprocess.run(command, check=True, capture_output=True)


def commit(project: Path, branch: str) -> None:
    git(project, "checkout", "-b", branch)
    git(project, "add", "--all")
    git(project, "commit", "--message", branch)


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project whose `main` is as shipped, and `broken` has a program that ends at once."""
    project = copy_of_the_stack_files(tmp_path_factory.mktemp("repository"))
    for room in ("mesh", "components"):
        shutil.copytree(
            PROJECT / room, project / room, ignore=shutil.ignore_patterns("__pycache__")
        )
    git(project, "init", "--initial-branch=broken")
    program = (project / "__main__.py").read_text()
    (project / "__main__.py").write_text("raise ValueError('an older engine')\n")
    git(project, "add", "--all")
    git(project, "commit", "--message", "broken")
    (project / "__main__.py").write_text(program)
    commit(project, "main")
    return project


@pytest.fixture
def project(repository: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    git(repository, "checkout", "--force", "main")
    git(repository, "clean", "-fdx")
    monkeypatch.chdir(repository)
    return repository


def previewed(*arguments: str) -> str:
    done = CliRunner().invoke(app, ["preview", *arguments])
    if done.exception is not None:
        raise done.exception
    return done.output


def test_an_unchanged_tree_against_itself_has_no_changes(project: Path) -> None:
    lines = previewed("east").splitlines()
    assert lines[0] == "east: no changes"
    assert lines[2].startswith("compared with main (")


def test_a_change_in_a_peers_file_is_seen_in_the_summary_and_line_by_line(project: Path) -> None:
    edited(project, "west", group("loadBalancer", dnsAddress="10.11.84.42"))
    text = previewed("east")
    assert text.splitlines()[0] == (
        "east: CoreDNS forwards west's zone to 10.11.84.42 instead of 10.11.84.32; 0 VMs replaced"
    )
    assert "-    forward . 10.11.84.32:53 {\n+    forward . 10.11.84.42:53 {\n" in text


def test_the_base_runs_with_its_own_code(project: Path) -> None:
    file = project / "mesh/render/metallb.py"
    file.write_text(file.read_text().replace('"metallb-system"', '"metallb-other"'))
    text = previewed("east")
    assert "east: Release east-metallb changes: namespace\n" in text
    assert "-  namespace: metallb-system\n+  namespace: metallb-other\n" in text


def test_a_stack_that_the_base_lacks_is_new(project: Path) -> None:
    (project / "Pulumi.west.yaml").rename(project / "Pulumi.north.yaml")
    text = previewed("north", "--markdown")
    assert text.startswith("<!-- mesh-preview:north -->\n")
    assert "a new cluster of 4 VMs" in text
    assert "nothing: north is not in main" in text


def test_a_base_whose_program_does_not_run_is_said_first(project: Path) -> None:
    lines = previewed("east", "--base", "broken").splitlines()
    assert lines[0].startswith("east: nothing to compare with: broken (")
    assert lines[0].endswith(
        " does not run: the program stops with an error of Python, ValueError: an older engine"
    )
    assert lines[1].startswith("east: a cluster of 4 VMs")


@pytest.mark.parametrize("file", ["Pulumi.yaml", "Pulumi.east.yaml"])
def test_a_base_with_a_file_that_is_no_yaml_is_said_in_words(project: Path, file: str) -> None:
    was = (project / file).read_text()
    (project / file).write_text(f"{was}\n\tname: x\n")
    git(project, "checkout", "--detach")
    git(project, "commit", "--all", "--message", "tab")
    (project / file).write_text(was)
    first = previewed("east", "--base", "HEAD").splitlines()[0]
    assert "nothing to compare with: HEAD (" in first
    assert f"does not run: {file}: line " in first
    assert "has a tab: write blanks instead" in first


def test_refused_settings_are_said_to_the_terminal_and_in_the_comment(project: Path) -> None:
    edited(project, "west", group("network", podCidr="10.1/8"))
    done = CliRunner().invoke(app, ["preview", "west", "--markdown"])
    assert isinstance(done.exception, Failure)
    assert done.output.startswith("<!-- mesh-preview:west -->\n**west**: refused")
    for words in (str(done.exception), done.output):
        assert "Pulumi.west.yaml: network.podCidr: '10.1/8'" in words


def test_a_file_that_is_no_yaml_is_refused_by_its_line_and_nothing_of_it_is_printed(
    project: Path,
) -> None:
    file = project / "Pulumi.east.yaml"
    file.write_text(f'{file.read_text()}\n  vcenterPassword: "swordfish\n')
    done = CliRunner().invoke(app, ["preview", "east", "--markdown"])
    assert isinstance(done.exception, Failure)
    assert "Pulumi.east.yaml: line" in done.output
    assert "is not YAML" in str(done.exception)
    assert "swordfish" not in done.output + str(done.exception)


BROKEN = {
    "Pulumi.yaml": ("", "- a", "description: no name", "name: [x", "\tname: x"),
    "Pulumi.east.yaml": ("- a", "config: x", "config:\n\tcluster: x"),
    "Pulumi.west.yaml": ("- a", "config:\n\tcluster: x"),
}


@pytest.mark.parametrize(
    ("file", "text"), [(file, text) for file, texts in BROKEN.items() for text in texts]
)
def test_a_broken_file_is_told_in_the_words_of_the_check(
    project: Path, file: str, text: str
) -> None:
    (project / file).write_text(text)
    preview = CliRunner().invoke(app, ["preview", "east"])
    check = CliRunner().invoke(app, ["check"])
    told = str(check.exception) if isinstance(check.exception, Failure) else check.stdout
    assert isinstance(preview.exception, Failure)
    lines = str(preview.exception).splitlines()
    assert lines == [line for line in told.splitlines() if not line.endswith(" to mend")]
    assert lines[0].startswith(file)


def test_a_program_that_does_not_end_is_given_up_in_words(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(comparison, "_SECONDS", 0.01)
    with pytest.raises(Failure, match="did not end in"):
        previewed("east")


def test_a_stack_without_a_file_and_a_commit_nobody_knows_are_named(project: Path) -> None:
    with pytest.raises(Failure, match="the stacks with a file are east, west"):
        previewed("nowhere")
    with pytest.raises(Failure, match="no commit '--output=x'"):
        previewed("east", "--base=--output=x")
    assert not (project / "x").exists()


def test_two_kinds_of_output_are_a_wrong_command_line() -> None:
    done = CliRunner().invoke(app, ["preview", "east", "--json", "--markdown"])
    assert done.exit_code == 2
    assert "write one of --markdown and --json" in done.output


def test_make_passes_the_stack_and_the_base_on() -> None:
    for words, command in {
        "STACK=east": ".venv/bin/mesh preview 'east'",
        "STACK=east BASE=main": ".venv/bin/mesh preview 'east' --base 'main'",
    }.items():
        make = [
            "make",
            "--dry-run",
            "--no-print-directory",
            "--old-file=.venv/ready",
            "preview",
            *words.split(),
        ]
        done = subprocess.run(make, cwd=PROJECT, capture_output=True, text=True, check=True)
        assert done.stdout.splitlines()[-1].strip() == command


def test_make_asks_for_a_stack() -> None:
    make = ["make", "--no-print-directory", "--old-file=.venv/ready", "preview"]
    done = subprocess.run(make, cwd=PROJECT, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "write STACK=east" in done.stderr
    assert "Pulumi..yaml" not in done.stderr


def test_without_a_repository_there_is_nothing_to_compare_with(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(project, tmp_path, dirs_exist_ok=True, ignore=shutil.ignore_patterns(".git"))
    monkeypatch.chdir(tmp_path)
    lines = previewed("east").splitlines()
    assert (
        lines[0] == "east: nothing to compare with: git finds no repository here that it may read"
    )
    assert lines[1].startswith("east: a cluster of 4 VMs")


def test_without_git_there_is_nothing_to_compare_with(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(project))
    assert (
        previewed("east")
        .splitlines()[0]
        .startswith("east: nothing to compare with: git can't be run here: ")
    )


def test_without_a_main_one_is_asked_for_a_commit(tmp_path: Path) -> None:
    git(tmp_path, "init", "--initial-branch=other")
    with pytest.raises(Failure, match="neither origin/main nor main here: name a commit by --base"):
        base_commit(tmp_path, None)
