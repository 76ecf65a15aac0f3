"""The commands that let a cluster join or leave: add, remove."""

from pathlib import Path
from typing import Annotated

import typer

from cli.membership import addition, removal
from cli.plan import Plan
from cli.project import load
from cli.terminal import Json, Stack, console, say_json, say_steps, stack_names

DryRun = Annotated[bool, typer.Option("--dry-run", help="Only say what would be written.")]


def add(
    name: Annotated[str, typer.Argument(help="The new stack and cluster, such as north.")],
    *,
    like: Annotated[
        str | None,
        typer.Option(
            help="The stack whose file is the pattern; else the one with the highest id.",
            autocompletion=stack_names,
        ),
    ] = None,
    dry_run: DryRun = False,
    as_json: Json = False,
) -> None:
    """Write a stack file for a further cluster, with an id, ranges and addresses that are free.

    Free means that nobody in the mesh has them: whether your site has is for you to look at.
    """
    project = load(Path.cwd())
    plan = addition(project, name, like)
    _carry_out(plan, project.directory, dry_run=dry_run, as_json=as_json)


def remove(name: Stack, *, dry_run: DryRun = False, as_json: Json = False) -> None:
    """Take a cluster out of the others' files, and say in which order it goes.

    Its own file stays: destroying it needs that. A second run changes nothing.
    """
    project = load(Path.cwd())
    plan = removal(project, name)
    _carry_out(plan, project.directory, dry_run=dry_run, as_json=as_json)


def _carry_out(plan: Plan, directory: Path, *, dry_run: bool, as_json: bool) -> None:
    if not dry_run:
        plan.write(directory)
    if as_json:
        say_json(
            {
                "written": not dry_run,
                "files": [*plan.files],
                "values": plan.values,
                "previews": plan.previews,
                "next": plan.next,
            }
        )
        return
    wrote = "would write" if dry_run else "wrote"
    for file in plan.files:
        console.print(f"{wrote} {file}")
    for key, value in plan.values.items():
        console.print(f"  {key:<32}{value}")
    if plan.previews:
        console.print("the previews of the other stacks will show:")
    for stack, lines in plan.previews.items():
        for line in lines:
            console.print(f"  {stack}: {line}")
    say_steps(plan.next)
