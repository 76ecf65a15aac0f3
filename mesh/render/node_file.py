"""A file that cloud-init writes on a node."""

from dataclasses import dataclass
from importlib import resources


@dataclass(frozen=True)
class NodeFile:
    """Absolute path, content and permissions (octal, such as `0644`) of one file; root's own."""

    path: str
    content: str
    permissions: str = "0644"


def packaged(name: str) -> str:
    """The text of a file that lies beside this module."""
    return resources.files("mesh.render").joinpath(name).read_text(encoding="utf-8")
