import errno
import fnmatch
import stat
from pathlib import Path
from typing import Any

import pytest

from cli.engine import last_words
from cli.failure import Failure
from cli.initialise import left_to_do
from cli.kubeconfig import merged, write
from cli.main import main
from cli.project import Project, in_order, load

PROJECT = Path(__file__).parent.parent.parent


def test_the_authority_goes_up_first() -> None:
    assert in_order("west", {"east": 1, "north": 2, "west": 3}) == ("west", "east", "north")


def test_an_authority_without_a_file_is_refused() -> None:
    with pytest.raises(Failure, match=r"mesh\.authority: 'south' .* one of east, west"):
        in_order("south", {"west": 1, "east": 2})


def test_a_directory_without_a_project_is_told_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", ["mesh", "order"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 1
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err == f"mesh: no Pulumi.yaml in {tmp_path}: run this in the project's directory\n"


def test_wrong_settings_are_told_with_their_file(tmp_path: Path) -> None:
    (tmp_path / "Pulumi.yaml").write_text("name: mesh\nconfig: {mesh: {value: {authority: a}}}\n")
    (tmp_path / "Pulumi.a.yaml").write_text("config: {}\n")
    with pytest.raises(Failure, match=r"Pulumi\.a\.yaml: network"):
        load(tmp_path)


def test_an_unknown_stack_is_told_with_the_known_ones() -> None:
    with pytest.raises(Failure, match=r"no Pulumi\.south\.yaml here: .* east, west"):
        load(PROJECT).require("south")


def test_what_is_left_to_do_names_missing_secrets_before_the_ups() -> None:
    keys = {"east": ["p:cluster"], "west": ["p:cluster", "p:vcenterPassword"]}
    assert list(left_to_do("p", keys)) == [
        "pulumi config set --secret vcenterPassword -s east",
        "pulumi up -s east",
        "pulumi up -s west",
    ]


def test_the_engines_reason_is_found_and_its_output_is_not_repeated() -> None:
    report = "\n code: 255\n stdout: secret\n stderr: warning: x\nerror: no stack named 'west'\n"
    assert last_words(report) == "no stack named 'west'"
    assert last_words("\n code: 1\n stdout: secret\n stderr: \n") == "it failed without a word"


def test_a_kubeconfig_is_for_its_owner_only_whatever_was_there(tmp_path: Path) -> None:
    file = tmp_path / "kubeconfig"
    file.write_text("old")
    file.chmod(0o644)
    write(file, "new")
    assert (file.read_text(), stat.S_IMODE(file.stat().st_mode)) == ("new", 0o600)
    assert list(tmp_path.iterdir()) == [file]
    with pytest.raises(Failure, match="can't be written"):
        write(tmp_path / "missing" / "kubeconfig", "new")


def test_a_kubeconfig_that_can_not_be_renamed_leaves_no_keys_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_from: Path, _to: Path) -> None:
        raise OSError(errno.EBUSY, "it is busy")

    monkeypatch.setattr(Path, "replace", refuse)
    with pytest.raises(Failure, match="can't be written: it is busy"):
        write(tmp_path / "kubeconfig", "keys")
    assert list(tmp_path.iterdir()) == []


def test_a_directory_as_kubeconfig_is_refused_in_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(Failure, match=r"^\. is a directory: name a file, as in mesh\.kubeconfig$"):
        write(Path(), "keys")
    assert list(tmp_path.iterdir()) == []


def test_git_never_takes_the_kubeconfig_that_the_docs_write() -> None:
    written = "mesh.kubeconfig"
    assert f"-o {written}" in (PROJECT / "README.md").read_text()
    ignored = (PROJECT / ".gitignore").read_text().splitlines()
    assert any(fnmatch.fnmatch(written, pattern) for pattern in ignored)


class Exported:
    """An engine that only knows which stacks there are and what they exported."""

    def __init__(self, outputs: dict[str, dict[str, Any]]) -> None:
        self._outputs = outputs

    def stacks(self) -> set[str]:
        return set(self._outputs)

    def outputs(self, stack: str) -> dict[str, Any]:
        return self._outputs[stack]


def test_stacks_without_a_kubeconfig_are_named_and_passed_over() -> None:
    project: Project = load(PROJECT)
    said: list[str] = []
    engine: Any = Exported({"east": {}})
    with pytest.raises(Failure, match="no stack has a kubeconfig yet: pulumi up -s east"):
        merged(project, engine, said.append)
    assert said == [f"{stack} has none yet: pulumi up -s {stack}" for stack in ("east", "west")]


def test_a_kubeconfig_is_not_printed_to_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cli.commands.stacks.sys.stdout.isatty", lambda: True, raising=False)
    from cli.commands.stacks import kubeconfig

    with pytest.raises(Failure, match="-o FILE"):
        kubeconfig(output=None, show=False)
