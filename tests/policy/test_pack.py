"""The policy pack in the real engine, over the whole program.

It is started as a program, and not by Pulumi's language host for Python, which isn't here.
"""

import json
from pathlib import Path

import pytest
from pulumi import automation

from tests.engine.conftest import engine
from tests.engine.test_whole_program import east
from tests.mocks import PROJECT

__all__ = ["east", "engine"]

pytestmark = [pytest.mark.engine, pytest.mark.timeout(400)]

PACK = PROJECT / "policy"
PYTHON = PACK / ".venv/bin/python"
POLICIES = "control-planes-are-protected"


def pack_as_a_program(directory: Path) -> list[str]:
    """The pack as one executable file, which the engine starts without a language host."""
    if not PYTHON.is_file():
        pytest.skip("THE POLICY PACK IS NOT TESTED IN THE ENGINE: run `make policy` once")
    script = directory / "vsphere-cluster-mesh"
    script.write_text(f'#!/bin/sh\ncd {PACK} && exec {PYTHON} -u -m pulumi.policy "$1" .\n')
    script.chmod(0o755)
    return [str(script)]


def config(directory: Path, *unprotected: str) -> list[str]:
    file = directory / "config.json"
    file.write_text(json.dumps({POLICIES: {"unprotectedClusters": unprotected}}))
    return [str(file)]


def test_the_pack_lets_the_shipped_program_pass(east: automation.Stack, tmp_path: Path) -> None:
    # The stack of this test has its control planes unprotected, which the configuration allows.
    pack = pack_as_a_program(tmp_path)
    done = east.preview(policy_packs=pack, policy_pack_configs=config(tmp_path, "east"))
    assert "vsphere-cluster-mesh" in done.stdout
    assert "[mandatory]" not in done.stdout


def test_the_pack_refuses_an_unprotected_control_plane_in_its_words(
    east: automation.Stack, tmp_path: Path
) -> None:
    shipped = [str(PACK / "config.json")]
    with pytest.raises(automation.CommandError) as refused:
        east.preview(policy_packs=pack_as_a_program(tmp_path), policy_pack_configs=shipped)
    said = str(refused.value)
    assert "[mandatory]" in said
    assert "east-control-plane-1 is not protected" in said
    assert "unprotectedClusters of policy/config.json" in said
    assert "Traceback" not in said
