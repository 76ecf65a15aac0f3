"""Fetches the Go modules of programs whose turn is still to come."""

import os
import subprocess
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import groupby

from lab.programs import Program


@contextmanager
def downloads_of(programs: Sequence[Program]) -> Iterator[None]:
    """Fetch what these programs are made of beside the body, one go.mod after the other.

    What can't be fetched is no failure here: the program's own build asks again and says why.
    """
    one_at_a_time = ThreadPoolExecutor(max_workers=1)
    try:
        for _, of_one_module in groupby(programs, key=lambda entry: entry.module):
            one_at_a_time.submit(_fetch, list(of_one_module))
        yield
    finally:
        one_at_a_time.shutdown(cancel_futures=True)


def _fetch(programs: Sequence[Program]) -> None:
    tags = sorted({tag for entry in programs for tag in entry.tags})
    packages = sorted({entry.package for entry in programs})
    # Of all commands that download, this one takes only what the build will read.
    command = ["go", "list", "-deps", "-tags", ",".join(tags), *packages]
    subprocess.run(
        command,
        cwd=programs[0].directory,
        env={**os.environ, "CGO_ENABLED": "0"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=False,
    )
