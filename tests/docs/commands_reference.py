"""docs/commands.md out of the command itself: `python -m tests.docs.commands_reference`."""

from pathlib import Path

import typer

from cli.app import app

COMMANDS = Path(__file__).parents[2] / "docs" / "commands.md"
HEAD = """\
# The command mesh

<!-- Made by `python -m tests.docs.commands_reference`; a test compares it with the code. -->

`mesh` lies in `.venv/bin`; run it in the project's directory. Its option `--install-completion`
teaches your shell the commands, their options and the names of your stacks.

| exit status | what it means |
|---|---|
| 0 | well done, or nothing wrong |
| 1 | something is wrong with what was looked at; the words say what |
| 2 | the command line itself is wrong |
| 130 | it was interrupted, by Ctrl-C |

What a program is to read is on standard output, also with `--json`; warnings, and what happened on
the way, are on standard error.
"""


def commands() -> str:
    """The whole page."""
    group = typer.main.get_command(app)
    context = typer.Context(group, info_name="mesh")
    listed = group.list_commands(context)  # type: ignore[attr-defined]
    return "\n".join([HEAD, *(_command(context, name) for name in listed)])


def _command(context: typer.Context, name: str) -> str:
    command = context.command.get_command(context, name)  # type: ignore[attr-defined]
    own = typer.Context(command, info_name=name, parent=context)
    usage = f"mesh {name} {' '.join(command.collect_usage_pieces(own))}"
    records = [one.get_help_record(own) for one in command.get_params(own)]
    rows = [record for record in records if record and record[0] != "--help"]
    lines = [f"## mesh {name}", "", _text(command.help), "", "```text", usage, "```"]
    if rows:
        lines += ["", "| | |", "|---|---|"]
        lines += [f"| `{_cell(words)}` | {_cell(about)} |" for words, about in rows]
    return "\n".join([*lines, ""])


def _text(help_text: str) -> str:
    # In Markdown a bare < would begin an element.
    parts = help_text.replace("<", "&lt;").split("\n\n")
    return "\n\n".join(" ".join(part.split()) for part in parts)


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


if __name__ == "__main__":
    COMMANDS.write_text(commands(), encoding="utf-8")
