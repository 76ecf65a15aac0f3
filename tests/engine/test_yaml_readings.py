"""The table of what the engine reads, held against the engine itself."""

import json
import subprocess
from typing import Any

import pytest

from tests.engine.conftest import Engine
from tests.mesh.settings.yaml_readings import ENGINE_REFUSES, READINGS

pytestmark = [pytest.mark.engine, pytest.mark.timeout(400)]


def read(engine: Engine, config: str) -> dict[str, Any]:
    """The groups of a stack file as the engine hands them over. Raises what it fails with."""
    (engine.project / "Pulumi.yaml").write_text("name: scratch\nruntime: python\n")
    (engine.project / "Pulumi.probe.yaml").write_text(config)
    environment = {
        "HOME": str(engine.home),
        "PULUMI_HOME": str(engine.home / "pulumi"),
        "PULUMI_BACKEND_URL": f"file://{engine.home / 'state'}",
        "PULUMI_CONFIG_PASSPHRASE": "",
        "PULUMI_SKIP_UPDATE_CHECK": "true",
    }
    command = [str(engine.root / "bin/pulumi"), "config", "--json", "--stack", "probe"]
    stack = [command[0], "stack", "init", "probe", "--non-interactive"]
    subprocess.run(stack, cwd=engine.project, env=environment, capture_output=True, check=False)
    (engine.project / "Pulumi.probe.yaml").write_text(config)
    told = subprocess.run(
        command, cwd=engine.project, env=environment, capture_output=True, check=True
    )
    return {key.partition(":")[2]: item["value"] for key, item in json.loads(told.stdout).items()}


def test_the_engine_reads_every_value_as_the_table_says(engine: Engine) -> None:
    rows = [f"    v{place}: {reading.written}" for place, reading in enumerate(READINGS)]
    config = "\n".join(["config:", "  scratch:group:", *rows, ""])
    group = json.loads(read(engine, config)["group"])
    assert {reading.written: group[f"v{place}"] for place, reading in enumerate(READINGS)} == {
        reading.written: reading.engine for reading in READINGS
    }


def test_the_engine_hands_over_a_key_without_a_value_as_an_empty_text(engine: Engine) -> None:
    config = "config:\n  scratch:nothing:\n  scratch:tilde: ~\n  bare: 3\n  scratch:json: '[1]'\n"
    assert read(engine, config) == {"nothing": "", "tilde": "", "bare": "3", "json": "[1]"}


def test_the_engine_reads_the_first_of_several_documents_only(engine: Engine) -> None:
    config = "config: {scratch:a: one}\n---\nconfig: {scratch:a: two}\n"
    assert read(engine, config) == {"a": "one"}


@pytest.mark.parametrize("written", ENGINE_REFUSES)
def test_the_engine_refuses_a_number_without_an_end(engine: Engine, written: str) -> None:
    with pytest.raises(subprocess.CalledProcessError):
        read(engine, f"config:\n  scratch:group: {{a: {written}}}\n")
