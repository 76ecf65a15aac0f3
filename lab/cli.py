"""The command `lab`: the whole mesh on one Linux machine, no vCenter needed."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Annotated

import typer
from pyroute2 import NetlinkError
from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from lab import (
    daemon,
    engine,
    inside,
    kubectl,
    lifecycle,
    link,
    network,
    node,
    overrides,
    project,
    report,
)
from lab.building import BuildError
from lab.failure import LabError
from lab.paths import RUN
from lab.timeline import Timeline
from lab.vcenter import VCenterError

app = typer.Typer(
    help="Build and run the whole mesh on this Linux machine, with a simulated vCenter.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
console = Console(highlight=False)

# What is said in one line, without a traceback.
FAILURES = (
    LabError,
    engine.EngineError,
    BuildError,
    kubectl.KubectlError,
    VCenterError,
    NetlinkError,
    subprocess.CalledProcessError,
)

OneStack = Annotated[str, typer.Argument(help="A stack, such as east.")]
Stacks = Annotated[list[str] | None, typer.Argument(help="Stacks in order; none means all.")]


@app.command()
def up(stacks: Stacks = None) -> None:
    """Build what is missing, start the lab, bring the stacks up, and report what then works."""
    known = project.stacks()
    for stack in stacks or ():
        if stack not in known:
            raise LabError(f"no stack {stack}: there are stack files for {', '.join(known)}")
    overrides.workers()  # what is wrong with it is said before the build, not after
    timeline = Timeline()
    with lifecycle.alone():
        made_of = lifecycle.build(console, timeline)
        with timeline.phase("vCenter and stacks"):
            lifecycle.start(console, made_of)
        lifecycle.bring_up(stacks or project.stacks(), timeline)
        if stacks:
            good = True
        else:
            lifecycle.install_probes(timeline)
            with timeline.phase("mesh settled"):
                findings = lifecycle.settled(console)
            good = _show(findings)
    timeline.write(RUN / "timeline.json")
    timeline.show(console)
    raise typer.Exit(0 if good else 1)


@app.command()
def build() -> None:
    """Build the programs, images and node template that aren't built yet."""
    lifecycle.build(console, Timeline())


@app.command()
def preview(
    stack: OneStack,
    *,
    expect_no_changes: Annotated[
        bool, typer.Option(help="Fail if the preview shows a change.")
    ] = False,
) -> None:
    """Show what an `up` of a stack would change."""
    _require_running()
    lifecycle.write_project()
    options = ["--expect-no-changes"] if expect_no_changes else []
    engine.run("preview", stack, *options)


@app.command()
def destroy(stack: OneStack) -> None:
    """Destroy a stack, lifting the protection of its control planes first."""
    _require_running()
    with lifecycle.alone():
        engine.run("destroy", stack)


@app.command()
def repair(stack: OneStack) -> None:
    """Clear what a killed engine left: `mesh repair STACK --yes` in the lab's surroundings."""
    _require_running()
    with lifecycle.alone():
        mesh = [str(Path(sys.executable).with_name("mesh")), "repair", stack, "--yes"]
        engine.run_command(mesh, f"repair of {stack}")


@app.command()
def status() -> None:
    """Look at the running mesh: nodes, connections, addresses, names."""
    _require_running()
    raise typer.Exit(0 if _show(report.look(lifecycle.clusters(), lambda _: None)) else 1)


@app.command(
    name="exec",
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
)
def execute(command: Annotated[list[str], typer.Argument(help="The command to run.")]) -> None:
    """Run a command in the lab's network, with kubectl and a kubeconfig of all clusters.

    For example: lab exec kubectl --context east get nodes
    """
    _require_running()
    whole = inside.command(command)
    os.execvpe(whole[0], whole, inside.environment())  # noqa: S606 - the user's own command


@app.command(name="link")
def set_link(state: Annotated[link.Link, typer.Argument(help="What is to pass.")]) -> None:
    """Break the way between the sites, or make it whole again.

    cut lets nothing pass, no-tunnel all but the pods' tunnel, small-packets all but its large ones.
    """
    _require_running()
    link.set_link(state)


@app.command()
def logs(name: Annotated[str, typer.Argument(help="A node, or vcsim or supervisor.")]) -> None:
    """Show a node's console and bootstrap log, or the log of one of the lab's own programs."""
    own = daemon.log(name)
    if own.exists():
        console.print(own.read_text(), markup=False)
        return
    running = node.running(name)
    if running is None:
        known = ", ".join(each.name for each in node.all_recorded()) or "none"
        raise LabError(f"no node {name} runs; running nodes: {known}")
    console.print((node.directory(name) / "console.log").read_text(), markup=False)
    journal = ["journalctl", "--no-pager", "--boot", "--lines=200"]
    subprocess.run(node.command(running, journal), check=False)
    bootstrap = ["cat", "/var/log/mesh/bootstrap.log"]
    subprocess.run(node.command(running, bootstrap), check=False)


@app.command()
def down() -> None:
    """End the lab and remove everything it made, but for what is built once."""
    with lifecycle.alone():
        lifecycle.down()
        lifecycle.LOCK.unlink()
    console.print("the lab is down; programs and images stay built")


def _require_running() -> None:
    if not network.namespace_file().exists():
        raise LabError("the lab isn't running: start it by `lab up`")


def _show(findings: list[report.Finding]) -> bool:
    table = Table(box=box.SIMPLE_HEAD, title="The mesh, looked at live")
    for heading in ("cluster", "what", "seen", ""):
        table.add_column(heading, overflow="fold")
    for finding in findings:
        mark = "[green]ok[/]" if finding.good else "[red]WRONG[/]"
        table.add_row(finding.cluster, escape(finding.subject), escape(finding.seen), mark)
    console.print(table)
    wrong = sum(not finding.good for finding in findings)
    console.print(f"{len(findings) - wrong} right, {wrong} wrong")
    return bool(findings) and not wrong


def main() -> None:
    """Run the command; expected failures end in one line."""
    if os.geteuid() != 0 or not Path("/proc/self/ns/net").exists():
        sys.exit("lab: needs Linux and root: it makes network namespaces, mounts and cgroups")
    try:
        app()
    except FAILURES as error:
        sys.exit(f"lab: {error}")


if __name__ == "__main__":
    main()
