import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import psutil

from cli.repair.orphans import Process, end, orphans, running

HERE = Path("/srv/mesh")
SHELL = Process(10, 1, "bash", ("bash",), HERE, "")
ENGINE = Process(20, 10, "pulumi", ("pulumi", "up"), HERE, "")
PLUGIN = Process(
    30, 1, "pulumi-resource", ("/opt/pulumi-resource-kubernetes", "127.0.0.1:34251"), HERE, "mesh"
)
STAND_IN = Process(31, 1, "python", ("python", "-m", "plugin", "127.0.0.1:34251"), HERE, "mesh")
MYSELF = Process(40, 10, "mesh", ("mesh", "repair"), HERE, "")


def found(*processes: Process) -> list[int]:
    everything = [SHELL, MYSELF, *processes]
    return [process.pid for process in orphans(everything, "mesh", HERE, MYSELF.pid)]


def test_a_plugin_without_an_engine_is_an_orphan() -> None:
    assert found(PLUGIN, STAND_IN) == [30, 31]


def test_a_plugin_of_a_living_engine_is_none() -> None:
    language_host = Process(25, 20, "pulumi-language", ("pulumi-language-python",), HERE, "mesh")
    program = replace(STAND_IN, parent=25)
    assert found(ENGINE, replace(PLUGIN, parent=20), language_host, program) == []


def test_another_projects_orphan_is_left_alone() -> None:
    elsewhere = replace(PLUGIN, directory=Path("/srv/other"))
    assert found(replace(PLUGIN, project="other"), elsewhere) == []


def test_a_process_that_only_knows_the_project_is_left_alone() -> None:
    assert found(replace(PLUGIN, command=("vim", "__main__.py"))) == []


def test_the_command_itself_and_what_started_it_are_left_alone() -> None:
    script = Process(9, 1, "sh", ("sh", "pulumi-resource-like"), HERE, "mesh")
    assert found(replace(SHELL, parent=9), script) == []


def test_a_real_process_is_seen_and_ended(tmp_path: Path) -> None:
    command = [sys.executable, "-c", "print(flush=True); input()", "127.0.0.1:34251"]
    environment = {"PULUMI_PROJECT": "mesh"}
    pipe = subprocess.PIPE
    with subprocess.Popen(
        command, cwd=tmp_path, env=environment, stdin=pipe, stdout=pipe
    ) as process:
        assert process.stdout
        process.stdout.readline()
        [seen] = [one for one in running() if one.pid == process.pid]
        assert (seen.directory, seen.project) == (tmp_path, "mesh")
        assert list(orphans([seen], "mesh", tmp_path, 1)) == [seen]
        end(seen)
        process.wait(10)
    assert not psutil.pid_exists(seen.pid)
    end(seen)
