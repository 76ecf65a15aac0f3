"""Two runs of a stack's program: as the files are now, and as they were in a commit."""

import json
import subprocess
import sys
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from cli.failure import Failure
from cli.preview.base import base_commit, checked_out
from cli.preview.recording import Recording
from cli.project import load, name_in
from mesh.pki import certificate_authority
from mesh.settings import Problem, file_of, stacks_with_a_file
from mesh.settings.document import read_document

_CODE = Path(__file__).parent.parent.parent
_SECONDS = 300


Run = Callable[[Path], Recording | str]


@dataclass(frozen=True)
class Comparison:
    """A recorded run; what it is compared with, in words; and that other run, where it is one."""

    now: Recording
    against: str
    base: Recording | None
    unknown: str = ""
    """Why nobody knows what the stack was; empty for one that is known, or is new."""


def compare(project: Path, stack: str, reference: str | None) -> Comparison:
    """Run a stack's program as it is and as it was.

    Raises Failure with everything wrong in the files, or the program's own words, when they are
    refused as they are now. A base that has no such stack, or whose program can't be run, is none.
    """
    _require(project, stack)
    # One for both: what hangs on the CA of the mesh is no difference.
    run = partial(_recorded, stack=stack, mesh_ca=certificate_authority("preview", 10).as_mapping())
    with ThreadPoolExecutor() as pool:
        now = pool.submit(run, project)
        before = _before(run, project, stack, reference)
        return Comparison(_or_failure(now.result()), *before)


def _before(
    run: Run, project: Path, stack: str, reference: str | None
) -> tuple[str, Recording | None, str]:
    """What is compared with, the run of it, and why it is unknown."""
    try:
        commit = base_commit(project, reference)
        with checked_out(project, commit) as before:
            if not (before / file_of(stack)).is_file():
                return f"nothing: {stack} is not in {commit}", None, ""
            base = _unread(before, stack) or run(before)
    except Failure as failure:
        if reference:
            raise
        return f"nothing: {failure}", None, str(failure)
    if isinstance(base, str):
        unknown = f"{commit} does not run: {base.splitlines()[0]}"
        return f"nothing: {unknown}", None, unknown
    return str(commit), base, ""


def _require(project: Path, stack: str) -> None:
    for needed in ("Pulumi.yaml", "__main__.py"):
        if not (project / needed).is_file():
            raise Failure(f"no {needed} in {project}: run this in the project's directory")
    known = stacks_with_a_file(project)
    if stack not in known:
        names = ", ".join(known) or "none"
        raise Failure(f"no {file_of(stack)} here: the stacks with a file are {names}")
    # The mock engine reads less strictly, and of what is no YAML it would print the line, in
    # which a password may stand.
    load(project)


def _unread(project: Path, stack: str) -> str | None:
    """Why the files of a base can't be handed to its program, whatever its own rules are."""
    try:
        name_in(project)
    except Failure as failure:
        return str(failure)
    document = read_document(project / file_of(stack))
    return str(document) if isinstance(document, Problem) else None


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
        return f"the program did not end in {_SECONDS} seconds"
    if done.returncode != 0:
        lines = done.stderr.strip().splitlines()
        return lines[-1] if lines else "the program ended without a word"
    answer = json.loads(done.stdout)
    return str(answer["refused"]) if "refused" in answer else Recording.from_json(done.stdout)
