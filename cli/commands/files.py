"""The commands about stack files: check, schema."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from cli import schema as schemas
from cli.check import check as look
from cli.project import name_in
from cli.terminal import Json, console, errors, say_json


def check(*, as_json: Json = False) -> None:
    """Hold all stack files and Pulumi.yaml against every rule, and print what is wrong.

    No vCenter, no cluster and no engine is asked. Ends with 1 when there is a problem.
    """
    verdict = look(Path.cwd())
    if as_json:
        say_json(verdict.as_output())
    else:
        for problem in verdict.problems:
            console.print(str(problem))
        for notice in verdict.notices:
            errors.print(f"warning: {notice}")
        count = len(verdict.problems)
        clusters = "1 cluster" if verdict.clusters == 1 else f"{verdict.clusters} clusters"
        console.print(f"{count} to mend" if count else f"ok: {clusters}, nothing clashes")
    if verdict.problems:
        raise typer.Exit(1)


def schema(
    file: Annotated[
        Literal["stack", "project"], typer.Argument(help="A stack file, or Pulumi.yaml.")
    ] = "stack",
    *,
    write: Annotated[
        bool, typer.Option("--write", help="Write the files of both into schema/ instead.")
    ] = False,
) -> None:
    """Print the JSON Schema of the files, made from the settings, for editors to check by."""
    name = name_in(Path.cwd())
    if not write:
        typer.echo(schemas.schemas(name)[f"{file}.schema.json"], nl=False)
        return
    for path in schemas.write(Path.cwd(), name):
        console.print(f"wrote {path.relative_to(Path.cwd())}")
