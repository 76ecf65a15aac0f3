from pathlib import Path

import pytest

from lab import pulumi_programs
from lab.paths import cache


def _pulumi(directory: Path, version: str) -> Path:
    program = directory / "bin" / "pulumi"
    program.parent.mkdir(parents=True)
    program.write_text(f"#!/bin/sh\necho {version}\n")
    program.chmod(0o755)
    return program.parent


def test_a_fitting_pulumi_on_path_is_used_and_none_is_built(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", f"{_pulumi(tmp_path, 'v3.300.0')}:/usr/bin:/bin")
    assert pulumi_programs.engine_root() == tmp_path
    assert "pulumi" not in [entry.name for entry in pulumi_programs.needed()]


def test_an_old_pulumi_on_path_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", f"{_pulumi(tmp_path, 'v3.99.0')}:/usr/bin:/bin")
    assert pulumi_programs.engine_root() == cache()
    assert "pulumi" in [entry.name for entry in pulumi_programs.needed()]


def test_the_real_vsphere_plugin_is_found_where_pulumi_installs_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PULUMI_HOME", str(tmp_path))
    assert pulumi_programs.real_vsphere_plugin() is None
    installed = tmp_path / "plugins" / pulumi_programs.VSPHERE_PLUGIN
    installed.mkdir(parents=True)
    (installed / "pulumi-resource-vsphere").touch()
    assert pulumi_programs.real_vsphere_plugin() == installed
