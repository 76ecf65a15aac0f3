"""A copy of the shipped project in a directory of its own, for tests to spoil as text."""

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import pytest

from mesh.settings import Settings, SettingsError, sibling_settings
from tests.mesh.settings.written import NAME, ROOT

EAST, WEST, SHARED = "Pulumi.east.yaml", "Pulumi.west.yaml", "Pulumi.yaml"


@dataclass(frozen=True)
class Project:
    """Pulumi.yaml and the stack files in `directory`, read as the stack east would."""

    directory: Path

    @classmethod
    def copied_to(cls, directory: Path) -> Self:
        for file in ROOT.glob("Pulumi*.yaml"):
            shutil.copy(file, directory)
        return cls(directory)

    def text(self, file: str) -> str:
        return (self.directory / file).read_text(encoding="utf-8")

    def write(self, file: str, text: str) -> None:
        (self.directory / file).write_text(text, encoding="utf-8")

    def replace(self, file: str, old: str, new: str) -> None:
        """Replace a text that is in the file exactly once."""
        text = self.text(file)
        assert text.count(old) == 1, f"{old!r} is {text.count(old)} times in {file}"
        self.write(file, text.replace(old, new))

    def siblings(self) -> dict[str, Settings]:
        return sibling_settings(self.directory, NAME, "east")

    def lines(self) -> list[str]:
        with pytest.raises(SettingsError) as refused:
            self.siblings()
        return str(refused.value).splitlines()
