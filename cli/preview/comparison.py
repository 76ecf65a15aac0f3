"""Two runs of a stack's program: as the files are now, and as they were in a commit."""

import json
import subprocess
import sys
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from cli.failure import Failure
from cli.preview.base import base_commit, checked_out
from cli.preview.recording import Recording
from mesh.pki import certificate_authority
from mesh.settings import Problem, file_of, stacks_with_a_file
from mesh.settings.document import read_document

_CODE = Path(__file__).parent.parent.parent
_SECONDS = 300


@dataclass(frozen=True)
class Comparison:
    """A recorded run; what it is compared with, in words; and that other run, where it is one."""

    now: Recording
    against: str
    base: Recording | None


def compare(project: Path, stack: str, reference: str | None) -> Comparison:
    """Run a stack's program as it is and as it was.

    Raises Failure with the program's own words when it refuses its settings as they are now. A
    base that has no such stack, or whose program can't be run, is none.
    """
    _require(project, stack)
    # One for both: what hangs on the CA of the mesh is no difference.
    run = partial(_recorded, stack=stack, mesh_ca=certificate_authority("preview", 10).as_mapping())
    commit = base_commit(project, reference)
    with ExitStack() as after, ThreadPoolExecutor() as pool:
        now = pool.submit(run, project)
        if commit is None:
            return Comparison(_or_failure(now.result()), "nothing: git knows no main here", None)
        before = after.enter_context(checked_out(project, commit))
        if not (before / file_of(stack)).is_file():
            words = f"nothing: {stack} is not in {commit}"
            return Comparison(_or_failure(now.result()), words, None)
        base = run(before)
        if isinstance(base, str):
            words = f"nothing: the program of {commit} does not run: {base.splitlines()[0]}"
            return Comparison(_or_failure(now.result()), words, None)
        return Comparison(_or_failure(now.result()), str(commit), base)


def _require(project: Path, stack: str) -> None:
    for needed in ("Pulumi.yaml", "__main__.py"):
        if not (project / needed).is_file():
            raise Failure(f"no {needed} in {project}: run this in the project's directory")
    known = stacks_with_a_file(project)
    if stack not in known:
        names = ", ".join(known) or "none"
        raise Failure(f"no {file_of(stack)} here: the stacks with a file are {names}")
    for file in ("Pulumi.yaml", file_of(stack)):
        # Of what is no YAML the mock engine would print the line, and a password may stand in it.
        if isinstance(problem := read_document(project / file), Problem):
            raise Failure(str(problem))


def _or_failure(recorded: Recording | str) -> Recording:
    if isinstance(recorded, str):
        raise Failure(recorded)
    return recorded


def _recorded(project: Path, stack: str, mesh_ca: Mapping[str, str]) -> Recording | str:
    """The recording of a project's program, or its own words when it refuses."""
    request = {"project": str(project), "stack": stack, "meshCa": dict(mesh_ca)}
    try:
        done = subprocess.run(
            [sys.executable, "-m", "cli.preview.runner"],
            cwd=_CODE,
            input=json.dumps(request),
            capture_output=True,
            text=True,
            timeout=_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"it did not end in {_SECONDS} seconds"
    if done.returncode != 0:
        lines = done.stderr.strip().splitlines()
        return lines[-1] if lines else "it ended without a word"
    answer = json.loads(done.stdout)
    return str(answer["refused"]) if "refused" in answer else Recording.from_json(done.stdout)
