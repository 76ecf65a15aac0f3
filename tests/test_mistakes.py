"""Every mistake of mistakes.yaml is refused with file, key, value and remedy, and so cured."""

import re
import shutil
from pathlib import Path
from typing import NamedTuple

import pulumi
import pytest
import yaml

from mesh.settings import SettingsError, readable_siblings, stacks_with_a_file
from mesh.topology import Topology, problems
from tests.mesh.settings.written import NAME, ROOT
from tests.mocks import run_program

LINE = re.compile(
    r"(?P<file>Pulumi(\.\w+)?\.yaml( or Pulumi\.\w+\.yaml)?): (?P<key>\S+|line \d+): "
    r"(?P<reason>.+): (?P<instead>[^:]+.*)"
)


class Mistake(NamedTuple):
    """One row of the table."""

    mistake: str
    file: str
    old: str
    wrong: str
    says: str
    cured: str


ROWS = yaml.safe_load((Path(__file__).parent / "mistakes.yaml").read_text(encoding="utf-8"))
MISTAKES = [Mistake(**row) for row in ROWS]
EACH = pytest.mark.parametrize("one", MISTAKES, ids=lambda one: one.mistake)
BETWEEN = ("of east", "of west", "peer", "stack with a file", "release", "tested with", "chart")
"""Words of a rule that needs more than one file, or knows the releases."""


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    for file in ROOT.glob("Pulumi*.yaml"):
        shutil.copy(file, tmp_path)
    return tmp_path


def write(directory: Path, one: Mistake, new: str) -> None:
    text = (ROOT / one.file).read_text(encoding="utf-8")
    assert text.count(one.old) == 1
    (directory / one.file).write_text(text.replace(one.old, new), encoding="utf-8")


def said(directory: Path) -> list[str]:
    """What the program and `mesh check` say of a project's files."""
    clusters, found = readable_siblings(directory, NAME, own_stack="")
    unread = frozenset(stacks_with_a_file(directory)) - clusters.keys()
    topology = Topology(clusters, None, unread, directory)
    return str(SettingsError((*found, *problems(topology)))).splitlines()


@EACH
def test_a_mistake_is_refused_in_these_lines_and_no_others(directory: Path, one: Mistake) -> None:
    write(directory, one, one.wrong)
    assert said(directory) == one.says.splitlines()


@EACH
def test_the_remedy_cures_it(directory: Path, one: Mistake) -> None:
    write(directory, one, one.cured)
    assert said(directory) == []


@EACH
def test_what_a_remedy_proposes_is_in_the_cure(one: Mistake) -> None:
    for line in one.says.splitlines():
        match = LINE.fullmatch(line)
        assert match, line
        if proposed := re.match(r"write (?:one like )?([\[\w./-]*\d[\w./-]*\]?)", match["instead"]):
            kind = re.sub(r"\d+", r"\\d+", re.escape(proposed[1]).replace(r"\-", "-"))
            assert re.search(kind, one.cured), (line, one.cured)
        if "put it in quotes" in match["instead"] and "write" not in match["instead"]:
            assert "'" in one.cured


def test_the_table_is_long_and_each_mistake_is_another() -> None:
    assert len({one.says for one in MISTAKES}) == len(MISTAKES) >= 100
    assert sum(any(word in one.says for word in BETWEEN) for one in MISTAKES) >= 30


def test_the_shipped_files_have_none(directory: Path) -> None:
    assert said(directory) == []


def test_a_copy_of_a_stack_file_is_refused_with_every_clash_named(directory: Path) -> None:
    shutil.copy(directory / "Pulumi.east.yaml", directory / "Pulumi.north.yaml")
    keys = {line.split(": ")[1] for line in said(directory)}
    assert keys >= {
        "cluster.name",
        "cluster.id",
        "cluster.zone",
        "network.podCidr",
        "vsphere.folder",
        "nodes.controlPlane.addresses[0]",
        "loadBalancer.etcdAddress",
        "loadBalancer.dnsAddress",
    }


WHOLE = (
    "a tab",
    "a boolean word for a name",
    "a key in the wrong group",
    "the password in plain text",
    "an address of IPv6",
    "a peer without a file",
    "a choice there is not",
)


@pytest.mark.parametrize("name", WHOLE)
def test_the_whole_program_says_it_and_registers_nothing(
    directory: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    [one] = [one for one in MISTAKES if one.mistake == name]
    write(directory, one, one.wrong)
    monkeypatch.setattr(pulumi, "get_root_directory", lambda: str(directory))
    stack = "east" if one.file != "Pulumi.east.yaml" else "west"
    with pytest.raises(pulumi.RunError) as refused:
        run_program(stack)
    assert set(one.says.splitlines()) <= set(str(refused.value).splitlines())
    assert "Traceback" not in str(refused.value)
    registered = refused.value.monitor.registered  # type: ignore[attr-defined]
    assert {resource.type for resource in registered} == {"pulumi:pulumi:Stack"}
