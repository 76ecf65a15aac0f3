"""The real Pulumi engine, on a copy of the project and a state directory of the test's own."""

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from pulumi import automation

from lab.vsphere_stand_in.wrapper import write_plugin

PROJECT = Path(__file__).parent.parent.parent
NAME = "vsphere-cluster-mesh"
Program = Callable[[], None]


@dataclass(frozen=True)
class Engine:
    """A project directory of its own with the shipped stack files, and an empty backend."""

    root: Path
    home: Path

    @property
    def project(self) -> Path:
        return self.home / "project"

    @property
    def plugins(self) -> Path:
        return self.home / "plugins"

    def stack(
        self, name: str, program: Program, passphrase: str = "correct horse"
    ) -> automation.Stack:
        environment = {
            "PULUMI_HOME": str(self.home / "pulumi"),
            "PULUMI_BACKEND_URL": f"file://{self.home / 'state'}",
            "PULUMI_CONFIG_PASSPHRASE": passphrase,
            "PULUMI_SKIP_UPDATE_CHECK": "true",
            "PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION": "true",
            # A busy machine is no failure; where nobody listens, it is refused at once.
            "PULUMI_K8S_CLIENT_TIMEOUT": "60",
            "NO_COLOR": "1",
            # A plugin beside the engine is used as it is, whatever version the SDK asks for.
            "PATH": f"{self.plugins}:{self.root / 'bin'}:{os.environ['PATH']}",
        }
        options = automation.LocalWorkspaceOptions(
            work_dir=str(self.project),
            pulumi_command=automation.PulumiCommand(str(self.root)),
            env_vars=environment,
        )
        stack = automation.create_or_select_stack(name, NAME, program, opts=options)
        if f"{NAME}:vcenterPassword" not in (self.project / f"Pulumi.{name}.yaml").read_text():
            password = automation.ConfigValue("battery staple", secret=True)
            stack.set_config("vcenterPassword", password)
        return stack

    def state_text(self, stack: str) -> str:
        return (self.home / "state/.pulumi/stacks" / NAME / f"{stack}.json").read_text()

    def resource_types(self, stack: str) -> set[str]:
        state: dict[str, Any] = json.loads(self.state_text(stack))
        resources = state["checkpoint"]["latest"].get("resources") or []
        return {resource["type"] for resource in resources}


@contextmanager
def simulator(engine: Engine) -> Iterator[str]:
    """Run a vCenter's simulator, with the stand-in plugin for it; give its address."""
    write_plugin(engine.plugins)
    program = str(engine.root / "bin/vcsim")
    command = [program, "-listen", "127.0.0.1:0", "-template-disk-gib", "20"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        try:
            _, _, told = process.stderr.readline().partition(" serving ")
            yield told.split()[0]
        finally:
            process.kill()


@pytest.fixture
def engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Engine:
    root = os.environ.get("PULUMI_ROOT", "")
    if not Path(root, "bin/pulumi").is_file():
        pytest.skip("THE REAL ENGINE IS NOT TESTED: set PULUMI_ROOT to a directory with bin/pulumi")
    monkeypatch.delenv("KUBECONFIG", raising=False)
    for directory in ("state", "project", "plugins"):
        (tmp_path / directory).mkdir()
    for file in PROJECT.glob("Pulumi*.yaml"):
        shutil.copy(file, tmp_path / "project")
    # The engine tells an inline program no directory: it reads stack files from the current one.
    monkeypatch.chdir(tmp_path / "project")
    return Engine(Path(root), tmp_path)
