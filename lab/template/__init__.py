"""The node template: a root file system and the images that lie ready on every node."""

import shutil
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from lab.building import require_space, stamp
from lab.debian import SUITE
from lab.images import images_stamp
from lab.node_disk import Template
from lab.paths import DISKS
from lab.programs import program
from lab.stamps import fingerprint, is_current, record
from lab.template.rootfs import FILES, PACKAGES, PROGRAMS, make_rootfs
from lab.template.store import make_store

TEMPLATES = DISKS / "template"
Progress = Callable[[str, int, int, float], None]
_SPACE_GIB = 6
_HERE = Path(__file__).parent


def node_template(archives: Sequence[Path], progress: Progress) -> Template:
    """Return the template made of the present sources, making it when it is missing."""
    if finished := finished_template():
        return finished
    place = TEMPLATES / template_stamp()
    template = Template(root=place / "rootfs", containerd=place / "containerd")
    # Templates of earlier sources; a node never outlives the lab that it was made in.
    shutil.rmtree(TEMPLATES, ignore_errors=True)
    place.mkdir(parents=True)
    require_space(place, _SPACE_GIB)
    _step("root file system", 1, progress, lambda: make_rootfs(template.root))
    _step(
        "unpacked images",
        2,
        progress,
        lambda: make_store(template.root, archives, template.containerd),
    )
    record(place / "stamp", place.name)
    return template


def finished_template() -> Template | None:
    """Return the template made of the present sources, or None when it isn't made yet."""
    place = TEMPLATES / template_stamp()
    template = Template(root=place / "rootfs", containerd=place / "containerd")
    return template if is_current(place / "stamp", place.name) else None


def template_stamp() -> str:
    """Return the fingerprint of all that goes into the template."""
    return fingerprint(
        SUITE,
        *PACKAGES,
        *(stamp(program(name)) for name in PROGRAMS),
        images_stamp(),
        FILES,
        *(_HERE / name for name in ("rootfs.py", "store.py", "fill-store.sh")),
    )


def _step(name: str, number: int, progress: Progress, work: Callable[[], None]) -> None:
    started = time.monotonic()
    work()
    progress(name, number, 2, time.monotonic() - started)
