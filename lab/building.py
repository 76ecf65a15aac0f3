"""Builds the lab's Go programs, each only when something it is made of has changed."""

import os
import shutil
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from lab.downloads import downloads_of
from lab.paths import cache
from lab.programs import PROGRAMS, Program
from lab.stamps import fingerprint, is_current, record

Progress = Callable[[str, int, int, float], None]
"""Called when a program is ready: its name, its number, how many there are, seconds taken."""

_COLD_BUILD_GIB = 30
_LOG_LINES_SHOWN = 15
# A compiler ends before its garbage matters: collecting it was a sixth of the work. The limit is
# for the largest packages. Neither is part of the keys of Go's cache.
_COMPILER = {"GOGC": "off", "GOMEMLIMIT": "2GiB"}


class BuildError(Exception):
    """A program could not be built; the text says which one, why, and where the log lies."""


def build(progress: Progress, programs: Sequence[Program] = PROGRAMS) -> None:
    """Make every program's executable ready; raises BuildError."""
    missing = [entry for entry in programs if not is_built(entry)]
    require_space(cache(), round(_COLD_BUILD_GIB * len(missing) / len(PROGRAMS)))
    with downloads_of(missing[1:]):
        for number, entry in enumerate(programs, start=1):
            started = time.monotonic()
            if entry in missing:
                _build(entry)
            progress(entry.name, number, len(programs), time.monotonic() - started)


def is_built(entry: Program) -> bool:
    """Say whether the executable is there and made of the present sources."""
    return entry.path.is_file() and is_current(_stamp_file(entry), stamp(entry))


def stamp(entry: Program) -> str:
    """Return the fingerprint of all that goes into the executable."""
    files = sorted(entry.directory.rglob("*"))
    sources = [path for path in files if _is_source(path)]
    words = [entry.name, entry.package, " ".join(entry.tags), entry.linker_flags, _go_version()]
    return fingerprint(*words, *sources)


def require_space(directory: Path, gib: int) -> None:
    """Raise BuildError when the file system of a directory has less than that many GiB free."""
    existing = next(path for path in (directory, *directory.parents) if path.exists())
    free = shutil.disk_usage(existing).free // 2**30
    if free < gib:
        raise BuildError(
            f"{existing} has {free} GiB free and the lab's builds need {gib} GiB: "
            f"free {gib - free} GiB, or let XDG_CACHE_HOME, GOCACHE, GOMODCACHE name a larger disk"
        )


def _is_source(path: Path) -> bool:
    return path.suffix in (".go", ".mod", ".sum") and not path.name.endswith("_test.go")


def _build(entry: Program) -> None:
    log = cache() / "logs" / f"{entry.name}.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    entry.path.parent.mkdir(parents=True, exist_ok=True)
    # Built beside its place and renamed: a running copy can be replaced, half a file never seen.
    fresh = entry.path.with_name(f".{entry.name}.new")
    with log.open("w") as output:
        finished = subprocess.run(
            _command(entry, fresh),
            cwd=entry.directory,
            env={**_COMPILER, **os.environ, "CGO_ENABLED": "0"},
            stdout=output,
            stderr=subprocess.STDOUT,
            check=False,
        )
    if finished.returncode:
        raise BuildError(_failure(entry, log))
    fresh.rename(entry.path)
    record(_stamp_file(entry), stamp(entry))


def _command(entry: Program, output: Path) -> list[str]:
    tags = ["-tags", ",".join(entry.tags)] if entry.tags else []
    return ["go", "build", *tags, "-ldflags", entry.linker_flags, "-o", str(output), entry.package]


def _failure(entry: Program, log: Path) -> str:
    last = "\n".join(f"  {line}" for line in log.read_text().splitlines()[-_LOG_LINES_SHOWN:])
    return f"building {entry.name} failed:\n{last}\nthe whole log is {log}"


def _stamp_file(entry: Program) -> Path:
    return cache() / "stamps" / entry.name


def _go_version() -> str:
    # From our own directory, so that no go.mod's toolchain line has a say.
    command = ["go", "env", "GOVERSION"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
