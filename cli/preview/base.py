"""The state of the project to compare with: a commit, checked out beside it for a moment."""

import io
import subprocess
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from cli.failure import Failure

_DEFAULTS = ("origin/main", "main")


@dataclass(frozen=True)
class Commit:
    """A commit as the user named it, and its full hash."""

    reference: str
    sha: str

    def __str__(self) -> str:
        return f"{self.reference} ({self.sha[:9]})"


def base_commit(project: Path, reference: str | None) -> Commit:
    """The commit of a reference, else of origin/main or main.

    Raises Failure when git knows no such commit, or isn't there.
    """
    for name in (reference,) if reference else _DEFAULTS:
        found = _git(project, "rev-parse", "--verify", "--quiet", f"{name}^{{commit}}")
        if found.returncode == 0:
            return Commit(name, found.stdout.decode().strip())
    if reference:
        raise Failure(f"git knows no commit {reference!r} here: fetch it, or name another --base")
    if _git(project, "worktree", "list").returncode != 0:
        raise Failure("git finds no repository here that it may read")
    raise Failure(f"git knows neither {' nor '.join(_DEFAULTS)} here: name a commit by --base")


@contextmanager
def checked_out(project: Path, commit: Commit) -> Iterator[Path]:
    """Give a directory with the project as it was in a commit; it goes away again.

    It is an archive and not a worktree: a killed preview leaves nothing in the repository.
    """
    # Of the directory it runs in, so a project in a part of a repository works too.
    archive = _git(project, "archive", "--format=tar", commit.sha)
    if archive.returncode != 0:
        raise Failure(f"git can't read {commit}: {archive.stderr.decode().strip()}")
    with tempfile.TemporaryDirectory(prefix="mesh-preview-") as directory:
        with tarfile.open(fileobj=io.BytesIO(archive.stdout)) as files:
            files.extractall(directory, filter="data")
        yield Path(directory)


def _git(project: Path, command: str, *arguments: str) -> "subprocess.CompletedProcess[bytes]":
    # A reference that begins with a dash must not become an option.
    words = ["git", "-C", str(project), command]
    if command == "rev-parse":
        *options, name = arguments
        words += [*options, "--end-of-options", name]
    else:
        words += arguments
    try:
        return subprocess.run(words, capture_output=True, check=False)
    except OSError as error:
        raise Failure(f"git can't be run here: {error.strerror}") from error
