"""A clone of the project whose stack files a test changes, as a user does it."""

import shutil
import subprocess
import sys
from pathlib import Path

from lab import kubectl, project

MESH = Path(sys.executable).with_name("mesh")


def clone(directory: Path) -> Path:
    """Return a copy of the project as it is now, whose stack files a test may change."""
    for name in (*project.PROGRAM_FILES, "cli", "lab"):
        source = project.SOURCE / name
        if source.is_dir():
            shutil.copytree(source, directory / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, directory / name)
    for path in project.SOURCE.glob("Pulumi*.yaml"):
        shutil.copy(path, directory)
    return directory


def run_mesh(directory: Path, *arguments: str) -> str:
    """Run `mesh` in the clone and return what it printed. Raises CalledProcessError."""
    command = ["timeout", "-k", "5", "60", str(MESH), *arguments]
    finished = subprocess.run(command, cwd=directory, check=True, capture_output=True, text=True)
    return finished.stdout


def restarts(cluster: str) -> dict[str, tuple[str, int]]:
    """Return each pod's identity and number of restarts, but for CoreDNS's own.

    CoreDNS takes a new peer's zone by a roll-out, one replica after the other.
    """
    return {
        f"{pod['metadata']['namespace']}/{pod['metadata']['name']}": (
            pod["metadata"]["uid"],
            sum(each["restartCount"] for each in pod["status"].get("containerStatuses", ())),
        )
        for pod in kubectl.get(cluster, "pods", "--all-namespaces")["items"]
        if pod["metadata"]["labels"].get("k8s-app") != "kube-dns"
    }


def replace(directory: Path, stack: str, old: str, new: str) -> None:
    """Write something else into a stack's file of the clone; `old` must be there."""
    file = directory / f"Pulumi.{stack}.yaml"
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))
