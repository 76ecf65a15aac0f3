"""The command `mesh verify`: does the mesh work, asked from inside."""

from pathlib import Path
from typing import Annotated

import typer

from cli.doctor.asking.access import Access, accesses, kubeconfig_files
from cli.failure import Failure
from cli.terminal import Json, console, errors, say_json, stack_names
from cli.verify.report import document, summary, table, works
from cli.verify.session import Session


def verify(
    clusters: Annotated[
        list[str] | None,
        typer.Argument(
            help="Clusters by their contexts, such as east; else all of the kubeconfig.",
            autocompletion=stack_names,
        ),
    ] = None,
    *,
    kubeconfig: Annotated[
        Path | None,
        typer.Option("--kubeconfig", help="What mesh kubeconfig wrote; else that of KUBECONFIG."),
    ] = None,
    image: Annotated[
        str | None,
        typer.Option("--image", help="Image with Python and glibc; else acceptance.image."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Prove that the mesh works: pods in every cluster ask the others, and are taken away again.

    Names, traffic, large packets, global Services and remote nodes, each with its likely cause
    when it fails. Needs the right to make a namespace. Ends with 1 when a check fails.
    """
    ways = _chosen(accesses(kubeconfig_files(kubeconfig)), clusters or [])
    now: dict[str, str] = {}
    with errors.status("looking at the clusters") as status:

        def say(cluster: str, what: str) -> None:
            now[cluster] = what
            status.update(" · ".join(f"{name}: {done}" for name, done in now.items()))

        findings = Session(ways, Path.cwd(), say, image).run()
    if as_json:
        say_json(document(findings))
    else:
        console.print(table(findings), soft_wrap=False)
        console.print(summary(findings))
    if not works(findings):
        raise typer.Exit(1)


def _chosen(ways: tuple[Access, ...], names: list[str]) -> tuple[Access, ...]:
    known = {one.cluster: one for one in ways}
    if unknown := [name for name in names if name not in known]:
        raise Failure(
            f"the kubeconfig has no context {', '.join(unknown)}: its contexts are "
            f"{', '.join(known)}; write a newer one by `mesh kubeconfig -o mesh.kubeconfig`"
        )
    return tuple(known[name] for name in dict.fromkeys(names)) if names else ways
