"""The command `lab`, without a lab: nothing here starts or ends anything."""

import fcntl
import os
import re
import sys
from collections.abc import Callable
from pathlib import Path
from subprocess import CalledProcessError
from typing import NoReturn

import pytest
from rich.console import Console
from typer.testing import CliRunner

from lab import cli, daemon, engine, inside, lifecycle, network, node, project, report
from lab.building import BuildError
from lab.cli import app
from lab.engine import EngineError
from lab.failure import LabError
from lab.kubectl import KubectlError
from lab.report import Finding
from lab.vcenter import VCenterError

GOOD = Finding("east", "ClusterMesh", "1/1 remote clusters ready", good=True)
BAD = Finding("west", "ClusterMesh", "0/1 remote clusters ready", good=False)
NOT_RUNNING = "lab: the lab isn't running: start it by `lab up`"
COMMANDS = (
    "kubectl --help",
    "kubectl -A get pods",
    "kubectl --context east exec web-0 -- getent hosts web-0.web",
)


@pytest.fixture(autouse=True)
def nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No lab runs, whatever runs on this machine."""
    monkeypatch.setattr(network, "NAMESPACE", "mesh-test-none")
    monkeypatch.setattr(daemon, "RUN", tmp_path)
    monkeypatch.setattr(node, "RUN", tmp_path)
    monkeypatch.setattr(cli, "RUN", tmp_path)
    monkeypatch.setattr(lifecycle, "LOCK", tmp_path / "lock")
    monkeypatch.setattr(os, "geteuid", lambda: 0)


def lab(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> str | int | None:
    """What the command `lab` ends with: an exit code, or the line it prints at its end."""
    monkeypatch.setattr(sys, "argv", ["lab", *arguments])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    return ended.value.code


def failing(error: BaseException) -> Callable[..., NoReturn]:
    def fail(*_: object, **__: object) -> NoReturn:
        raise error

    return fail


def test_the_help_lists_every_command_with_what_it_does() -> None:
    shown = CliRunner().invoke(app, ["--help"], env={"COLUMNS": "200"})
    assert shown.exit_code == 0
    names = "up build preview destroy repair status exec link logs down"
    for name in names.split():
        assert re.search(rf"\b{name} +\S+ \S+", shown.output), name


def test_without_a_command_the_help_is_shown() -> None:
    assert "Usage" in CliRunner().invoke(app, []).output


def test_an_ordinary_user_is_told_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    said = lab(monkeypatch, "status")
    assert said == "lab: needs Linux and root: it makes network namespaces, mounts and cgroups"


@pytest.mark.parametrize(
    "command", ["exec east", "link cut", "preview east", "destroy east", "repair east"]
)
def test_a_command_that_needs_a_running_lab_says_how_to_start_it(
    monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    monkeypatch.setattr(os, "execvpe", failing(AssertionError("executed")))
    monkeypatch.setattr(engine, "run_command", failing(AssertionError("the engine ran")))
    assert lab(monkeypatch, *command.split()) == NOT_RUNNING


def test_the_status_of_no_lab_says_how_to_start_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lifecycle, "clusters", failing(AssertionError("looked")))
    assert lab(monkeypatch, "status") == NOT_RUNNING


def test_a_stack_without_a_file_is_refused_before_anything_is_built(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(lifecycle, "build", failing(AssertionError("built")))
    monkeypatch.setattr(project, "stacks", lambda: ["east", "west"])
    said = lab(monkeypatch, "up", "east", "north")
    assert said == "lab: no stack north: there are stack files for east, west"


def test_a_command_with_options_of_its_own_is_run_as_it_was_written(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    run: list[list[str]] = []
    monkeypatch.setattr(cli, "_require_running", lambda: None)
    monkeypatch.setattr(inside, "command", lambda arguments: ["inside", *arguments])
    monkeypatch.setattr(os, "execvpe", lambda _, whole, __: run.append(whole))
    for written in COMMANDS:
        for before in ([], ["--"]):
            assert CliRunner().invoke(app, ["exec", *before, *written.split()]).exit_code == 0
            assert run.pop() == ["inside", *written.split()]


@pytest.mark.parametrize(
    "error",
    [
        LabError("no disk"),
        EngineError("up of east failed"),
        BuildError("building etcd failed"),
        KubectlError("timed out waiting for the condition"),
        VCenterError("no answer from vCenter"),
        CalledProcessError(1, "cp"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_an_expected_failure_is_one_line(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    monkeypatch.setattr(lifecycle, "build", failing(error))
    assert lab(monkeypatch, "build") == f"lab: {error}"


def test_an_unexpected_failure_is_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lifecycle, "build", failing(ZeroDivisionError()))
    monkeypatch.setattr(sys, "argv", ["lab", "build"])
    with pytest.raises(ZeroDivisionError):
        cli.main()


@pytest.mark.parametrize("command", [("up",), ("down",), ("destroy", "east"), ("repair", "east")])
def test_two_commands_that_change_the_lab_do_not_run_at_once(
    monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    monkeypatch.setattr(cli, "_require_running", lambda: None)
    with lifecycle.LOCK.open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        said = lab(monkeypatch, *command)
    assert said == "lab: another lab command is running; wait for it to end"


def test_a_lab_that_is_down_leaves_no_lock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lifecycle, "down", lambda: None)
    assert lab(monkeypatch, "down") == 0
    assert not lifecycle.LOCK.exists()


def test_what_was_seen_is_shown_as_it_is(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    odd = Finding("east", "[red]pod[/]", "no such file [/run/x]", good=False)
    monkeypatch.setattr(cli, "_require_running", lambda: None)
    monkeypatch.setattr(lifecycle, "clusters", list)
    monkeypatch.setattr(report, "look", lambda *_: [odd])
    monkeypatch.setattr(cli, "console", Console(width=120))
    assert lab(monkeypatch, "status") == 1
    shown = capsys.readouterr().out
    assert odd.subject in shown
    assert odd.seen in shown


@pytest.mark.parametrize(
    ("findings", "code", "summary"),
    [([GOOD], 0, "1 right, 0 wrong"), ([GOOD, BAD], 1, "1 right, 1 wrong"), ([], 1, "0 right")],
)
def test_the_status_is_shown_and_is_the_exit_code(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    findings: list[Finding],
    code: int,
    summary: str,
) -> None:
    monkeypatch.setattr(cli, "_require_running", lambda: None)
    monkeypatch.setattr(lifecycle, "clusters", list)
    monkeypatch.setattr(report, "look", lambda *_: findings)
    assert lab(monkeypatch, "status") == code
    shown = capsys.readouterr().out
    assert summary in shown
    assert ("WRONG" in shown) == (BAD in findings)


def test_a_node_that_does_not_run_is_told_with_those_that_do(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert lab(monkeypatch, "logs", "east-worker-9") == (
        "lab: no node east-worker-9 runs; running nodes: none"
    )


def test_the_log_of_one_of_our_programs_is_shown_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "supervisor.log").write_text("power on east-worker-1 [red]\n")
    assert lab(monkeypatch, "logs", "supervisor") == 0
    assert "power on east-worker-1 [red]" in capsys.readouterr().out
