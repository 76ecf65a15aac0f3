"""Debian root file systems made by mmdebstrap: nothing but mmdebstrap is installed on the host."""

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

from lab.building import BuildError
from lab.paths import cache

SUITE = "bookworm"
# Any fixed time does: it makes two runs over the same packages give the same bytes.
_SOURCE_DATE_EPOCH = "1700000000"
_UNUSED = ("/usr/share/doc/*", "/usr/share/man/*", "/usr/share/locale/*")
# mariadb-server's installation makes an empty database, with keys of its own and of 120 MB.
_LEFT_BY_INSTALLATION = "/var/lib/mysql/*"
_NUMBERS = {"mariadb-server": ("mysql", 999)}
"""Users that a package makes with any number, and the package's official image with this one."""


def debian(packages: Sequence[str], target: Path) -> None:
    """Install packages into a new directory, or a new archive when the name ends in .tar."""
    log = cache() / "logs" / f"debian-{target.stem}.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    target.parent.mkdir(parents=True, exist_ok=True)
    with log.open("w") as output:
        finished = subprocess.run(
            _command(packages, target),
            env={**os.environ, "SOURCE_DATE_EPOCH": _SOURCE_DATE_EPOCH},
            stdout=output,
            stderr=subprocess.STDOUT,
            check=False,
        )
    if finished.returncode:
        last = log.read_text().strip().splitlines()[-1:]
        raise BuildError(f"mmdebstrap could not make {target}: {last}; the whole log is {log}")


def _command(packages: Sequence[str], target: Path) -> list[str]:
    exclude = [f"--dpkgopt=path-exclude={pattern}" for pattern in _UNUSED]
    include = f"--include={','.join(packages)}"
    clean = f'--customize-hook=rm -rf "$1"{_LEFT_BY_INSTALLATION}'
    numbered = [_numbered(*_NUMBERS[package]) for package in packages if package in _NUMBERS]
    options = [include, *exclude, *numbered, clean]
    return ["mmdebstrap", "--variant=minbase", *options, SUITE, str(target)]


def _numbered(name: str, number: int) -> str:
    """The option that makes a user before the package does, which then takes it as it is."""
    user = f"{name}:x:{number}:{number}::/nonexistent:/usr/sbin/nologin"
    add_group = f'echo {name}:x:{number}: >>"$1"/etc/group'
    return f'--essential-hook=echo {user} >>"$1"/etc/passwd; {add_group}'
