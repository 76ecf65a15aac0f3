"""The page's workload of one's own in the lab, with a stand-in for its program."""

import json
import textwrap
from pathlib import Path

from lab.images.contents import TOOLBOX
from tests.mesh.workloads.test_page import blocks

WORKLOAD = "notes"
_PROGRAM = Path(__file__).with_name("notes_stand_in.py")


def settings() -> str:
    """Return the page's block for Pulumi.yaml; what it names as an image, the lab has another for.

    The lab loads no images, so the program comes as an argument of an image that has Python.
    """
    [block] = [block for block in blocks() if block.startswith(f"{WORKLOAD}:")]
    image = "image: registry.example.com/notes:1.2.0\n"
    assert image in block
    program = json.dumps(["python3", "-c", _PROGRAM.read_text()])
    block = block.replace(image, f"image: {TOOLBOX}\n  command: {program}\n  volumeGib: 1\n")
    return textwrap.indent(block, " " * 6)
