"""The actual secrets of the running lab, and where they must not be found."""

import base64
import json
import re
import subprocess
from collections.abc import Iterable, Iterator
from typing import Any

import psutil

from lab import engine, inside, project
from lab.paths import RUN, cache

# The places that may hold secrets in clear: the lab's own kubeconfig, for root only.
_ALLOWED = {inside.KUBECONFIG, engine.PASSPHRASE}


def plain_secrets(stacks: Iterable[str]) -> dict[str, str]:
    """Return every private key, token and password of the stacks, by where it was found."""
    found: dict[str, str] = {}
    for stack in stacks:
        exported = _engine("stack", "export", "--show-secrets", stack=stack)
        found.update(_secrets_in(f"{stack}", json.loads(exported)))
        password = _engine("config", "get", "vcenterPassword", stack=stack)
        found[f"{stack} vCenter password"] = password.strip()
    return found


def places_with(secrets: dict[str, str]) -> list[str]:
    """Return each file or command line that has one of the secrets in clear or in base64."""
    wanted = {
        form: name for name, value in secrets.items() for form in (value, *_base64_forms(value))
    }
    return [
        f"{place}: {wanted[form]}" for place, text in _texts() for form in wanted if form in text
    ]


def _texts() -> Iterator[tuple[str, str]]:
    for top in (RUN, engine.STATE, engine.HOME, project.COPY):
        for path in top.rglob("*"):
            if path.is_file() and not path.is_symlink() and path not in _ALLOWED:
                yield str(path), path.read_text(errors="replace")
    for process in psutil.process_iter(["cmdline", "environ"]):
        yield f"command line of {process.pid}", " ".join(process.info["cmdline"] or ())


def _secrets_in(where: str, value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        for key, each in value.items():
            yield from _secrets_in(f"{where}.{key}", each)
    elif isinstance(value, list):
        for number, each in enumerate(value):
            yield from _secrets_in(f"{where}[{number}]", each)
    elif isinstance(value, str):
        # Secret values are JSON texts inside the exported state.
        text = value.replace("\\n", "\n")
        for number, key in enumerate(re.findall(r"PRIVATE KEY-----\n([\s\S]+?)\n-----END", text)):
            yield f"{where} key {number}", key.splitlines()[0]
        for number, token in enumerate(re.findall(r'"([a-z0-9]{6}\.[a-z0-9]{16})"', text)):
            yield f"{where} token {number}", token
        for number, data in enumerate(re.findall(r"client-key-data: ?(\S+)", text)):
            yield f"{where} client key {number}", data


def _base64_forms(value: str) -> Iterator[str]:
    # Inside a longer text in base64 a value begins at one of three alignments.
    for shift in range(3):
        encoded = base64.b64encode(b"." * shift + value.encode()).decode()
        yield encoded[4:-4]


def _engine(*arguments: str, stack: str) -> str:
    finished = subprocess.run(
        [str(cache() / "bin/pulumi"), *arguments, "--stack", stack],
        cwd=project.COPY,
        env=engine.environment(),
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return finished.stdout
