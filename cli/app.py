"""The command `mesh`: what one does around `pulumi up`, in the project's directory."""

import typer

from cli.commands import files, members, reports, stacks
from cli.commands.doctor import doctor
from cli.commands.preview import preview
from cli.commands.verify import verify

app = typer.Typer(
    help=(
        "Write, check, read and repair the stacks of a mesh. Run it in the project's directory.\n\n"
        "Exit status: 0 is well done; 1, something is wrong with what was looked at, and the words"
        " say what; 2, the command line itself is wrong."
    ),
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
for command in (
    stacks.init,
    files.check,
    stacks.order,
    preview,
    members.add,
    members.remove,
    reports.firewall,
    reports.diagram,
    reports.runbook,
    files.schema,
    stacks.kubeconfig,
    doctor,
    verify,
    stacks.repair,
):
    app.command()(command)
