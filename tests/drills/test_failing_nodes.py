"""Nodes that can't become nodes: the wait ends in its bound and says which, how far, and where."""

import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from rich.console import Console

from lab import engine, lifecycle, project
from lab.node_disk import Template
from lab.paths import NAME
from lab.timeline import Timeline
from tests.whole import lab_command

pytestmark = [
    pytest.mark.drill,
    pytest.mark.timeout(3000),
    # The lab's own programs outlive the call that starts them; here that call is in this process.
    pytest.mark.filterwarnings(
        "ignore:Exception ignored in.*Popen:pytest.PytestUnraisableExceptionWarning"
    ),
]

CONSOLE = Console(highlight=False)
LOG = "its log is /var/log/mesh/bootstrap.log"
WRONG_TOKEN = """
import runpy
from mesh.render import cloud_init
render = cloud_init.worker_user_data
cloud_init.worker_user_data = lambda settings, node, token, ca_hash: render(
    settings, node, "abcdef.0123456789abcdef", ca_hash
)
runpy.run_path({program!r}, run_name="__main__")
"""


@pytest.fixture
def template(monkeypatch: pytest.MonkeyPatch) -> Iterator[Template]:
    """A lab of one worker per cluster that is not started yet; taken down afterwards."""
    monkeypatch.setenv("LAB_WORKERS", "1")
    lab_command.run("down")
    yield lifecycle.build(CONSOLE, Timeline())
    lab_command.run("down")


def test_a_broken_template_is_named_with_what_it_lacks(
    template: Template, capfd: pytest.CaptureFixture[str]
) -> None:
    broken = Template(template.root.with_name("broken"), template.containerd)
    shutil.copytree(template.root, broken.root, symlinks=True, copy_function=_hard_link)
    (broken.root / "usr/bin/kubeadm").unlink()
    try:
        lifecycle.start(CONSOLE, broken)
        said = _failed_up("east", minutes=1, capfd=capfd)
    finally:
        shutil.rmtree(broken.root)
    assert "east-control-plane-1 at 10.11.85.11: prepare failed: template" in said
    assert "has no kubeadm" in said
    assert LOG in said


def test_a_worker_with_a_wrong_token_is_named_with_its_stage(
    template: Template, capfd: pytest.CaptureFixture[str]
) -> None:
    lifecycle.start(CONSOLE, template)
    program = project.COPY / "__main__.py"
    program.unlink()
    program.write_text(WRONG_TOKEN.format(program=str(project.SOURCE / "__main__.py")))
    said = _failed_up("east", minutes=3, capfd=capfd)
    assert "east-control-plane-1 at" not in said.rpartition("did not")[2]
    assert "east-worker-1 at 10.11.85.12: kubeadm-join" in said
    assert LOG in said


def test_an_address_that_another_machine_has_ends_in_the_bound(
    template: Template, capfd: pytest.CaptureFixture[str]
) -> None:
    lifecycle.start(CONSOLE, template)
    _set("nodes", lambda nodes: nodes["controlPlane"].update(addresses=["10.11.84.2"]))
    said = _failed_up("east", minutes=2, capfd=capfd)
    assert "east-control-plane-1 at 10.11.84.2:" in said
    assert LOG in said


def _failed_up(stack: str, minutes: int, capfd: pytest.CaptureFixture[str]) -> str:
    _set("nodes", lambda nodes: nodes.update(readyTimeoutMinutes=minutes))
    began = time.monotonic()
    with pytest.raises(engine.EngineError):
        engine.run("up", stack)
    # The bound, and some time for the machines before and the report after it.
    assert time.monotonic() - began < minutes * 60 + 90
    return capfd.readouterr().out


def _set(group: str, change: Callable[[dict[str, Any]], None]) -> None:
    path = project.stack_file("east")
    content = yaml.safe_load(path.read_text())
    change(content["config"][f"{NAME}:{group}"])
    path.write_text(yaml.safe_dump(content))


def _hard_link(source: str, target: str) -> None:
    Path(target).hardlink_to(source)
