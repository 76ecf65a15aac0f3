"""The probe as text: it is shipped in a ConfigMap, and needs no image of its own."""

from functools import cache
from pathlib import Path

_PROBE = Path(__file__).with_name("probe")
MODULE = "mesh.acceptance.probe"


@cache
def sources() -> dict[str, str]:
    """Every file of the probe by its name."""
    return {file.name: file.read_text(encoding="utf-8") for file in sorted(_PROBE.glob("*.py"))}


def mounted(name: str) -> str:
    """Where a file lies below the directory that Python looks for modules in."""
    return f"{MODULE.replace('.', '/')}/{name}"
