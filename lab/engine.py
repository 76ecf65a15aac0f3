"""The real Pulumi engine on the lab's working copy, by the Automation API with an inline program.

An inline program needs no language host. `python -m lab.engine VERB STACK` does one operation in
a process of its own, inside the lab's network; `run` starts such a process and waits for it.
"""

import json
import os
import runpy
import secrets
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

from pulumi import automation as auto

from lab import inside, project
from lab.paths import DISKS, NAME, RUN, cache
from lab.pulumi_programs import engine_root, real_vsphere_plugin

VERBS = ("initialise", "preview", "up", "destroy")
PASSPHRASE = RUN / "passphrase"
STATE = DISKS / "state"
HOME = DISKS / "pulumi"
INTERRUPT_SECONDS = 60.0


class EngineError(Exception):
    """An operation of the engine failed; what it said was printed already."""


def run(verb: str, stack: str, *options: str) -> None:
    """Do one operation and show the engine's own output. Raises EngineError, as `run_command`."""
    run_command(inside.python("lab.engine", verb, stack, *options), f"{verb} of {stack}")


def run_command(arguments: list[str], what: str) -> None:
    """Run a command on the working copy, with the engine's environment in the lab's network.

    An interrupt is handed on once, and the command gets some time to end in good order.

    Raises:
        EngineError: it failed or was interrupted; `what` says in it what was being done.
    """
    process = subprocess.Popen(
        inside.command(arguments),
        cwd=project.COPY,
        env=environment(),
        stdin=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        code = process.wait()
    except KeyboardInterrupt:
        _show("\ninterrupted: the engine ends what it has begun; Ctrl-C again ends it at once")
        _interrupt(process)
        raise EngineError(
            f"{what} was interrupted; `lab up` goes on from here, `lab down` ends the lab"
        ) from None
    if code:
        raise EngineError(f"{what} failed")


def output(stack: str, name: str) -> Any:  # noqa: ANN401 - whatever the program exported
    """Return an output of the stack's last `up`, secrets in clear; None when there is none."""
    command = [str(engine_root() / "bin/pulumi"), "stack", "output", "--json", "--show-secrets"]
    finished = subprocess.run(
        [*command, "--stack", stack],
        cwd=project.COPY,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return json.loads(finished.stdout).get(name) if finished.returncode == 0 else None


def environment() -> dict[str, str]:
    """Return the environment of a hermetic engine: own home, own state, no acquisition."""
    tools = [inside.PLUGINS, cache() / "bin"]
    path = ":".join([*map(str, tools), os.environ.get("PATH", os.defpath)])
    kept = {name: value for name, value in os.environ.items() if name != "KUBECONFIG"}
    return {
        **kept,
        "PATH": path,
        "PYTHONPATH": str(project.SOURCE),
        "PYTHONUNBUFFERED": "1",
        "PULUMI_HOME": str(HOME),
        "PULUMI_ROOT": str(engine_root()),
        "PULUMI_BACKEND_URL": f"file://{STATE}",
        "PULUMI_CONFIG_PASSPHRASE_FILE": str(_passphrase_file()),
        "PULUMI_SKIP_UPDATE_CHECK": "true",
        "PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION": "true",
        "PULUMI_SKIP_CONFIRMATIONS": "true",
        "PULUMI_ERROR_OUTPUT_STRING": "true",
        "PULUMI_K8S_CLIENT_TIMEOUT": "10",
    }


def _passphrase_file() -> Path:
    if not PASSPHRASE.exists():
        PASSPHRASE.parent.mkdir(parents=True, exist_ok=True)
        PASSPHRASE.touch(mode=0o600)
        PASSPHRASE.write_text(secrets.token_urlsafe(24))
    return PASSPHRASE


def _interrupt(process: subprocess.Popen[bytes]) -> None:
    os.killpg(process.pid, signal.SIGINT)
    try:
        process.wait(INTERRUPT_SECONDS)
    except (subprocess.TimeoutExpired, KeyboardInterrupt):
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def open_stack(stack: str) -> auto.Stack:
    """Return the stack of the working copy, made if it isn't there."""
    options = auto.LocalWorkspaceOptions(
        work_dir=str(project.COPY), pulumi_command=auto.PulumiCommand(str(engine_root()))
    )
    return auto.create_or_select_stack(
        stack_name=stack, project_name=NAME, program=_program, opts=options
    )


def _program() -> None:
    runpy.run_path("__main__.py", run_name="__main__")


def initialise(stack: auto.Stack) -> None:
    """Give the stack its vCenter password, encrypted in its file."""
    names = stack.get_all_config()
    if project.PASSWORD_KEY not in names:
        # The simulator takes any: it stands nowhere but, encrypted, in the stack's file.
        password = secrets.token_urlsafe(24)
        stack.set_config(project.PASSWORD_KEY, auto.ConfigValue(password, secret=True))


def unprotect(stack: auto.Stack) -> None:
    """Lift the protection of everything in the stack, saying of what."""
    state = stack.export_stack().deployment or {}
    for resource in state.get("resources", ()):
        if resource.get("protect"):
            _show(f"lifting the protection of {resource['urn'].rpartition('::')[2]}")
            stack.workspace.pulumi_command.run(
                ["state", "unprotect", resource["urn"], "--yes", "--stack", stack.name],
                stack.workspace.work_dir,
                dict(os.environ),
            )


def _parallel() -> int | None:
    # Waiters of the real plugin share one session's property collector, and in the simulator they
    # take each other's updates away: with more than one at a time an update now and then hangs.
    return 1 if real_vsphere_plugin() else None


def _show(line: str) -> None:
    print(line, flush=True)  # noqa: T201


def main(verb: str, stack_name: str, *options: str) -> None:
    """Do one operation in this process; the engine's output goes to standard output."""
    # The engine hears of an interrupt itself; this process must live to answer it.
    signal.signal(signal.SIGINT, lambda *_: None)
    stack = open_stack(stack_name)
    color = "always" if sys.stdout.isatty() else "never"
    match verb:
        case "initialise":
            initialise(stack)
        case "preview":
            expected = "--expect-no-changes" in options
            stack.preview(on_output=_show, color=color, expect_no_changes=expected)
        case "up":
            stack.up(on_output=_show, color=color, parallel=_parallel())
        case "destroy":
            unprotect(stack)
            stack.destroy(on_output=_show, color=color, parallel=_parallel())
        case _:
            raise SystemExit(f"{verb} is none of {', '.join(VERBS)}")


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except auto.errors.CommandError:
        sys.exit(1)
