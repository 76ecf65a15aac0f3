"""The command `lab`, without a lab: nothing here starts or ends anything."""

import fcntl
import os
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

import pytest
from typer.testing import CliRunner

from lab import cli, daemon, engine, inside, lifecycle, network, node, report
from lab.building import BuildError
from lab.cli import app
from lab.engine import EngineError
from lab.lifecycle import LabError
from lab.report import Finding

GOOD = Finding("east", "ClusterMesh", "1/1 remote clusters ready", good=True)
BAD = Finding("west", "ClusterMesh", "0/1 remote clusters ready", good=False)


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
    for name in ("up", "build", "preview", "destroy", "repair", "status", "exec", "logs", "down"):
        assert re.search(rf"\b{name} +\S+ \S+", shown.output), name


def test_without_a_command_the_help_is_shown() -> None:
    assert "Usage" in CliRunner().invoke(app, []).output


def test_an_ordinary_user_is_told_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    said = lab(monkeypatch, "status")
    assert said == "lab: needs Linux and root: it makes network namespaces, mounts and cgroups"


@pytest.mark.parametrize("command", ["exec", "preview"])
def test_a_command_that_needs_a_running_lab_says_how_to_start_it(
    monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    monkeypatch.setattr(os, "execvpe", failing(AssertionError("executed")))
    monkeypatch.setattr(engine, "run", failing(AssertionError("the engine ran")))
    said = lab(monkeypatch, command, "true")
    assert said == "lab: the lab isn't running: start it by `lab up`"


def test_a_command_with_options_of_its_own_is_run_as_it_was_written(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    run: list[list[str]] = []
    monkeypatch.setattr(cli, "_require_running", lambda: None)
    monkeypatch.setattr(inside, "command", lambda arguments: ["inside", *arguments])
    monkeypatch.setattr(os, "execvpe", lambda _, whole, __: run.append(whole))
    for arguments in (["kubectl", "-A", "get", "pods"], ["--", "kubectl", "--help"]):
        assert CliRunner().invoke(app, ["exec", *arguments]).exit_code == 0
    assert run == [
        ["inside", "kubectl", "-A", "get", "pods"],
        ["inside", "kubectl", "--help"],
    ]


@pytest.mark.parametrize(
    "error",
    [LabError("no disk"), EngineError("up of east failed"), BuildError("building etcd failed")],
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
    with lifecycle.LOCK.open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        said = lab(monkeypatch, *command)
    assert said == "lab: another lab command is running; wait for it to end"


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
