import importlib.resources
from pathlib import Path

import pytest

from mesh.render.bootstrap import bootstrap_files
from tests.mesh.render.clusters import settings
from tests.mesh.render.first_boot import control_plane, worker
from tests.mesh.render.programs import program, run

SCRIPTS = ("mesh-bootstrap.sh", "mesh-certificate-renewal.sh")


def script(name: str) -> Path:
    with importlib.resources.as_file(importlib.resources.files("mesh.render") / name) as path:
        return path


@pytest.mark.parametrize("name", SCRIPTS)
def test_bash_reads_the_script(name: str) -> None:
    assert run(program("bash", "BASH_PROGRAM"), "-n", script(name)).returncode == 0


@pytest.mark.parametrize("name", SCRIPTS)
def test_shellcheck_has_nothing_to_say(name: str) -> None:
    result = run(program("shellcheck", "SHELLCHECK"), script(name))
    assert result.returncode == 0, result.stdout


def test_systemd_accepts_the_units(tmp_path: Path) -> None:
    analyze = program("systemd-analyze", "SYSTEMD_ANALYZE")
    units = tmp_path / "units"
    units.mkdir()
    for file in bootstrap_files(settings(), control_plane()):
        if file.path.startswith("/etc/systemd/system/"):
            # The scripts are not installed where the test runs.
            content = file.content.replace("/usr/local/sbin/", "/bin/true ")
            (units / Path(file.path).name).write_text(content)
    for unit in units.iterdir():
        result = run(analyze, "verify", "--man=no", unit)
        about_ours = [line for line in result.stderr.splitlines() if "mesh-" in line]
        assert about_ours == []


def test_a_worker_gets_three_files_and_a_control_plane_the_renewal_too() -> None:
    first = [file.path for file in bootstrap_files(settings(), worker())]
    both = [file.path for file in bootstrap_files(settings(), control_plane())]
    assert len(first) == 3
    assert both[:3] == first
    assert all("mesh-certificate-renewal" in path for path in both[3:])
