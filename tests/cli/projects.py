"""Projects of a test's own: the shipped files, changed, and the command run beside them."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.testing import CliRunner, Result

from cli.app import app
from cli.failure import Failure
from cli.project import Project, load

PROJECT = Path(__file__).parent.parent.parent
NAME = "vsphere-cluster-mesh"


class Files:
    """The shipped project in a directory that is the current one."""

    def __init__(self, directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.directory = directory
        for file in PROJECT.glob("Pulumi*.yaml"):
            shutil.copy(file, directory)
        monkeypatch.chdir(directory)
        monkeypatch.setenv("NO_COLOR", "1")

    def text(self, stack: str) -> str:
        return self.path(stack).read_text(encoding="utf-8")

    def path(self, stack: str) -> Path:
        return self.directory / f"Pulumi.{stack}.yaml"

    def replace(self, stack: str, before: str, after: str) -> None:
        text = self.text(stack)
        assert before in text
        self.path(stack).write_text(text.replace(before, after), encoding="utf-8")

    def replace_shared(self, before: str, after: str) -> None:
        path = self.directory / "Pulumi.yaml"
        text = path.read_text(encoding="utf-8")
        assert before in text
        path.write_text(text.replace(before, after), encoding="utf-8")

    def with_peers(self, stack: str, peers: str) -> None:
        """Let a stack name its peers, in the place that the shipped file has for it."""
        text = self.text(stack)
        line = next(one for one in text.splitlines() if f"# {NAME}:peers:" in one)
        self.path(stack).write_text(text.replace(line, f"  {NAME}:peers: {peers}"))

    def run(self, *arguments: str) -> Result:
        return CliRunner().invoke(app, arguments)

    def says(self, *arguments: str) -> str:
        """What a command prints that goes well."""
        result = self.run(*arguments)
        assert result.exit_code == 0, result.output
        return result.stdout

    def says_json(self, *arguments: str) -> Any:
        return json.loads(self.says(*arguments, "--json"))

    def refusal(self, *arguments: str) -> str:
        """The words of a command that can't do its work; main() prints them and ends with 1."""
        error = self.run(*arguments).exception
        assert isinstance(error, Failure), error
        return str(error)

    def load(self) -> Project:
        return load(self.directory)

    def peers(self, stack: str) -> Any:
        return yaml.safe_load(self.text(stack))["config"].get(f"{NAME}:peers")
