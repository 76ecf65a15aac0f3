"""Broken files on the real engine: the list is shown, nothing is made, and the command fails."""

import re
import runpy

import pytest
from pulumi import automation

from mesh.settings import password_command
from tests.engine.conftest import NAME, PROJECT, Engine

pytestmark = [pytest.mark.engine, pytest.mark.timeout(300)]

BROKEN = {
    "Pulumi.east.yaml": ("podCidr: 10.101.0.0/16", "podCidr: 10.101.0.0/99"),
    "Pulumi.west.yaml": ("id: 2", "id: 02"),
    "Pulumi.yaml": ("tunnelProtocol: geneve", "tunnelProtocol: gre"),
}
LINES = (
    (
        "Pulumi.east.yaml: network.podCidr: '10.101.0.0/99' is not a network: "
        "write one like 10.101.0.0/16"
    ),
    (
        "Pulumi.west.yaml: cluster.id: 02 is octal to some readers of YAML and decimal to others: "
        "write 2, or put it in quotes"
    ),
    "Pulumi.yaml: mesh.tunnelProtocol: 'gre' is none of the choices: write geneve or vxlan",
)


def program() -> None:
    runpy.run_path(str(PROJECT / "__main__.py"), run_name="__main__")


@pytest.fixture
def east(engine: Engine) -> automation.Stack:
    engine.stack("west", program)
    return engine.stack("east", program)


def spoil(engine: Engine, file: str, old: str, new: str) -> None:
    path = engine.project / file
    text = path.read_text()
    assert text.count(old) == 1
    path.write_text(text.replace(old, new))


def shown(stack: automation.Stack) -> str:
    """What `pulumi preview` shows in the terminal below Diagnostics; it must fail.

    The host of inline programs says it all once more, as an unhandled error; the one of
    programs in files, which only an ordinary installation has, does not.
    """
    lines: list[str] = []
    with pytest.raises(automation.CommandError) as failed:
        stack.preview(on_output=lines.append, color="never")
    code = re.match(r"\s*code: (-?\d+)", str(failed.value))
    assert code, str(failed.value)
    assert int(code[1]) > 0
    diagnostics = "\n".join(lines).partition("Diagnostics:")[2]
    return diagnostics.partition("error: an unhandled error occurred")[0]


def test_a_preview_lists_what_is_wrong_in_all_files_each_once(
    east: automation.Stack, engine: Engine
) -> None:
    for file, (old, new) in BROKEN.items():
        spoil(engine, file, old, new)
    terminal = shown(east)
    for line in LINES:
        assert terminal.count(line) == 1, terminal
        assert line in [row.strip().removeprefix("error: ") for row in terminal.splitlines()]
    assert "Traceback" not in terminal
    assert "RunError" not in terminal
    assert engine.resource_types("east") <= {"pulumi:pulumi:Stack"}


def test_a_preview_registers_nothing_but_the_stack(east: automation.Stack, engine: Engine) -> None:
    spoil(engine, "Pulumi.west.yaml", "name: west", "name: east")
    events: list[automation.events.EngineEvent] = []
    with pytest.raises(automation.CommandError):
        east.preview(on_event=events.append)
    types = {event.resource_pre_event.metadata.type for event in events if event.resource_pre_event}
    assert types <= {"pulumi:pulumi:Stack"}


def test_a_password_in_plain_text_is_refused_once_and_never_shown(
    east: automation.Stack, engine: Engine
) -> None:
    path = engine.project / "Pulumi.east.yaml"
    text = path.read_text()
    written = re.sub(r"vcenterPassword:\n +secure: \S+", "vcenterPassword: battery", text)
    path.write_text(written)
    assert "vcenterPassword: battery" in written
    terminal = shown(east)
    line = f"vcenterPassword: is given as plain text: run {password_command('east')}"
    assert terminal.count(line) == 1
    assert "battery" not in terminal


def test_the_engine_keeps_the_line_that_names_the_schema(
    east: automation.Stack, engine: Engine
) -> None:
    text = (engine.project / "Pulumi.east.yaml").read_text()
    assert f"{NAME}:vcenterPassword" in text
    assert text.splitlines()[0] == "# yaml-language-server: $schema=schema/stack.schema.json"
