"""The commands that write down what the settings mean: firewall, diagram, runbook."""

from collections.abc import Collection
from pathlib import Path
from typing import Annotated

import typer

from cli.check import refuse_unsound
from cli.engine import Engine
from cli.failure import Failure
from cli.project import Project, load
from cli.terminal import Json, errors, say_json, stack_names
from mesh.render.diagram import diagram as svg
from mesh.render.firewall import firewall as rules_of
from mesh.render.firewall_table import firewall_csv, firewall_markdown
from mesh.render.mermaid import mermaid as flowchart
from mesh.render.runbook import runbook as pages

Output = Annotated[
    Path | None, typer.Option("--output", "-o", help="The file to write, instead of printing.")
]
Live = Annotated[
    bool, typer.Option("--live", help="Ask the engine, and draw dashed what exported nothing yet.")
]


def firewall(
    *,
    stack: Annotated[
        str | None,
        typer.Option("--stack", "-s", help="Only of this stack.", autocompletion=stack_names),
    ] = None,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print CSV.")] = False,
    as_markdown: Annotated[bool, typer.Option("--markdown", help="Print Markdown (default).")] = (
        False
    ),
    as_json: Json = False,
    output: Output = None,
) -> None:
    """List what must pass between the clusters and around each: from, to, protocol, port, why."""
    if as_csv + as_markdown + as_json > 1:
        raise typer.BadParameter("write one of --csv, --markdown and --json")
    project = _sound()
    if stack is not None:
        project.require(stack)
    rules = rules_of(project.topology, stack)
    if as_json:
        say_json([rule.as_output() for rule in rules])
        return
    _hand_over(firewall_csv(rules) if as_csv else firewall_markdown(rules), output)


def diagram(
    *,
    mermaid: Annotated[bool, typer.Option("--mermaid", help="A Mermaid flowchart.")] = False,
    live: Live = False,
    output: Output = None,
) -> None:
    """Draw the mesh: clusters, ranges, addresses, and who dials whom. SVG, or Mermaid."""
    project = _sound()
    planned = _planned(project) if live else ()
    draw = flowchart if mermaid else svg
    _hand_over(draw(project.topology, planned), output)


def runbook(*, output: Output = None) -> None:
    """Write what to do when something breaks, with this mesh's own names and commands."""
    _hand_over(pages(_sound().topology), output)


def _sound() -> Project:
    """The project, of which one may write down what is so."""
    project = load(Path.cwd())
    refuse_unsound(project)
    return project


def _planned(project: Project) -> Collection[str]:
    engine = Engine(project.directory)
    there = engine.stacks()
    return [
        stack
        for stack in project.stacks
        if stack not in there or "endpoint" not in engine.outputs(stack)
    ]


def _hand_over(text: str, output: Path | None) -> None:
    if output is None:
        typer.echo(text, nl=False)
        return
    try:
        output.write_text(text, encoding="utf-8")
    except OSError as error:
        raise Failure(f"{output} can't be written: {error.strerror}") from error
    errors.print(f"wrote {output}")
