"""What every command says, and how: words for people, JSON for programs."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from mesh.settings import stacks_with_a_file

console = Console(highlight=False, markup=False, soft_wrap=True)
errors = Console(highlight=False, markup=False, soft_wrap=True, stderr=True)


def stack_names(incomplete: str) -> list[str]:
    """The stacks with a file in the current directory, for the shell's completion."""
    return [name for name in stacks_with_a_file(Path.cwd()) if name.startswith(incomplete)]


Stack = Annotated[str, typer.Argument(help="The stack, such as east.", autocompletion=stack_names)]
Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of words.")]


def say_steps(commands: Iterable[str]) -> None:
    """Print the commands that come next, one a line."""
    for step, command in enumerate(commands):
        console.print(f"{'then' if step else 'next'}: {command}")


def say_json(document: object) -> None:
    """Print a document for programs, on lines of its own."""
    typer.echo(json.dumps(document, indent=2, ensure_ascii=False))
