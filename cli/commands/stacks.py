"""The commands around `pulumi up`: init, order, kubeconfig, repair."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from cli import kubeconfig as kubeconfigs
from cli.check import verdict
from cli.engine import Engine
from cli.failure import Failure
from cli.initialise import initialise
from cli.order import first_steps, next_steps, read_outputs
from cli.project import load
from cli.repair.session import Consent, Session
from cli.terminal import Json, Stack, console, errors, say_json, say_steps


def init(*, as_json: Json = False) -> None:
    """Initialise the stack of every Pulumi.<stack>.yaml, and say what is left to do.

    The program reads the stacks of all peers, and the engine refuses one that was
    never initialised. A second run changes nothing.
    """
    project = load(Path.cwd())
    # What is done on the way is no part of a document.
    say = errors.print if as_json else console.print
    commands = initialise(project, Engine(project.directory), say)
    if as_json:
        say_json({"next": commands})
    else:
        say_steps(commands)


def order(*, as_json: Json = False) -> None:
    """Say which stacks to bring up now and in which order, by what each exported last.

    Without an engine or a backend it is the order of a first `up`, the authority first.
    """
    project = load(Path.cwd())
    for problem in verdict(project).problems:
        errors.print(f"warning: {problem}")
    try:
        steps, known = next_steps(project, read_outputs(project, Engine(project.directory))), True
    except Failure as failure:
        errors.print(f"what the stacks exported is unknown, so this is a first `up`: {failure}")
        steps, known = first_steps(project), False
    if as_json:
        say_json({"known": known, "steps": [vars(step) for step in steps]})
        return
    for step in steps:
        console.print(f"{step.command:<26}# {step.why}")
    if not steps:
        console.print("nothing to do: every stack is what its file says")


def kubeconfig(
    *,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="The file to write; mode 0600.")
    ] = None,
    show: Annotated[bool, typer.Option("--show", help="Print it, keys and all.")] = False,
) -> None:
    """Merge the admin kubeconfigs of all clusters into one; contexts are named like clusters."""
    if output is None and not show and sys.stdout.isatty():
        raise Failure("a kubeconfig holds keys: write it by -o FILE, or print it by --show")
    project = load(Path.cwd())
    text = kubeconfigs.merged(project, Engine(project.directory), errors.print)
    if output is None:
        sys.stdout.write(text)
    else:
        kubeconfigs.write(output, text)
        errors.print(f"wrote {output}")


def repair(
    stack: Stack,
    *,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do it without asking.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only look and tell.")] = False,
) -> None:
    """Clean up after an `up` whose engine was killed, so that the next `up` goes through.

    Looks for a lock nobody holds, plugins without an engine, half-made machines and
    objects, Helm releases cut short, and operations the state takes for running.
    """
    project = load(Path.cwd())
    project.require(stack)
    engine = Engine(project.directory)
    if stack not in engine.stacks():
        raise Failure(f"{stack} was never initialised: run `mesh init`")
    Session(project, engine, stack, console.print, _consent(yes=yes, dry_run=dry_run)).run()


def _consent(*, yes: bool, dry_run: bool) -> Consent:
    if dry_run:
        return None
    return lambda: yes or typer.confirm("Do this?")
