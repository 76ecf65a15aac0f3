"""The command `mesh doctor`: what is wrong with a mesh that is up."""

from pathlib import Path
from typing import Annotated

import typer

from cli.doctor.asking.access import accesses, kubeconfig_files
from cli.doctor.report import document, fixes, is_sound, summary, table
from cli.doctor.session import examine
from cli.terminal import Json, console, errors, say_json


def doctor(
    *,
    kubeconfig: Annotated[
        Path | None,
        typer.Option("--kubeconfig", help="What mesh kubeconfig wrote; else that of KUBECONFIG."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Look at every cluster of a mesh that is up, and say what is wrong and what to do.

    It only looks. Each context of the kubeconfig is a cluster. Drift is checked in the project's
    directory, by its stack files. Ends with 1 when something is an error.
    """
    ways = accesses(kubeconfig_files(kubeconfig))
    now: dict[str, str] = {}
    with errors.status(f"asking {', '.join(one.cluster for one in ways)}") as status:

        def say(cluster: str, what: str) -> None:
            now[cluster] = what
            status.update(" · ".join(f"{name}: {asked}" for name, asked in now.items()))

        findings = examine(ways, Path.cwd(), say)
    if as_json:
        say_json(document(findings))
    else:
        console.print(table(findings), soft_wrap=False)
        for line in fixes(findings):
            console.print(line)
        console.print(summary(findings))
    if not is_sound(findings):
        raise typer.Exit(1)
