"""`mesh kubeconfig`: one kubeconfig for all clusters of the mesh."""

import os
import tempfile
from collections.abc import Callable
from pathlib import Path

from cli.engine import Engine
from cli.failure import Failure
from cli.project import Project
from mesh.render.kubeconfig import merged_kubeconfig


def merged(project: Project, engine: Engine, say: Callable[[str], None]) -> str:
    """The kubeconfig of every stack that exported one. Raises Failure when none did."""
    there = engine.stacks()
    found: list[str] = []
    for stack in project.stacks:
        text = engine.outputs(stack).get("kubeconfig") if stack in there else None
        if text:
            found.append(text)
        else:
            say(f"{stack} has none yet: pulumi up -s {stack}")
    if not found:
        raise Failure(f"no stack has a kubeconfig yet: pulumi up -s {project.stacks[0]}")
    try:
        return merged_kubeconfig(found)
    except ValueError as error:
        raise Failure(str(error)) from error


def write(file: Path, text: str) -> None:
    """Write a file that only its owner may read, in place of a file that was there before."""
    try:
        if file.is_dir():
            raise Failure(f"{file} is a directory: name a file, as in {file / 'mesh.kubeconfig'}")
        # mkstemp makes it 0600; renamed, no reader ever sees half a file or an open one.
        handle, name = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as temporary:
                temporary.write(text)
            Path(name).replace(file)
        finally:
            # Still there only if it got no other name, and then nobody would look for its keys.
            Path(name).unlink(missing_ok=True)
    except OSError as error:
        raise Failure(f"{file} can't be written: {error.strerror}") from error
