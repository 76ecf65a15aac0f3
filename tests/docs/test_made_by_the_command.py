"""What stands in docs/ and was made by a program is what that program makes now."""

from pathlib import Path

from cli.project import load
from mesh.render.diagram import diagram
from tests.docs.commands_reference import COMMANDS, commands

PROJECT = Path(__file__).parents[2]


def test_the_page_of_the_commands_is_what_the_commands_say() -> None:
    again = "run `python -m tests.docs.commands_reference`"
    assert COMMANDS.read_text(encoding="utf-8") == commands(), again


def test_the_picture_in_the_readme_is_of_the_shipped_stack_files() -> None:
    shipped = (PROJECT / "docs" / "topology.svg").read_text(encoding="utf-8")
    assert shipped == diagram(load(PROJECT).topology), "run `mesh diagram -o docs/topology.svg`"
    assert "(docs/topology.svg)" in (PROJECT / "README.md").read_text(encoding="utf-8")


def test_every_command_says_what_it_does_and_what_its_options_do() -> None:
    for line in commands().splitlines():
        assert not line.endswith("|  |"), line
    assert commands().count("\n## mesh ") == 14
