"""The command `mesh preview`: what a stack would be, and what of it changes."""

from pathlib import Path
from typing import Annotated

import typer

from cli.failure import Failure
from cli.preview.comparison import compare
from cli.preview.report import as_document, as_markdown, as_text, refusal
from cli.terminal import Json, Stack, say_json


def preview(
    stack: Stack,
    *,
    base: Annotated[
        str | None,
        typer.Option("--base", help="The commit to compare with; else origin/main or main."),
    ] = None,
    markdown: Annotated[
        bool, typer.Option("--markdown", help="Print a comment for a pull request.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Show what a stack consists of and what changes, without a vCenter and without clusters.

    Runs the program on a mock engine, now and as it was in the base. No secret is in what it
    prints: every key and certificate is made up, and masked.
    """
    if markdown and as_json:
        raise typer.BadParameter("write one of --markdown and --json")
    try:
        comparison = compare(Path.cwd(), stack, base)
    except Failure as failure:
        if markdown:
            typer.echo(refusal(stack, str(failure)), nl=False)
        raise
    if as_json:
        say_json(as_document(comparison))
    else:
        typer.echo((as_markdown if markdown else as_text)(comparison), nl=False)
