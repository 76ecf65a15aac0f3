"""The container images of the lab's nodes, packed from the lab's own programs."""

import time
from collections.abc import Callable
from pathlib import Path

from lab.building import require_space, stamp
from lab.debian import SUITE, debian
from lab.images.archive import File, Image, write_archive
from lab.images.contents import TOOLBOX, images
from lab.paths import cache
from lab.programs import PROGRAMS
from lab.stamps import fingerprint, is_current, record

__all__ = ["TOOLBOX", "Image", "build_images", "images", "images_stamp"]

Progress = Callable[[str, int, int, float], None]
_SPACE_GIB = 5


def build_images(progress: Progress) -> tuple[Path, ...]:
    """Pack every image and return the archives; the programs must be built already.

    `progress` is told each image's reference, number, how many there are, seconds taken.
    """
    stamp_file, wanted = cache() / "stamps" / "images", images_stamp()
    contents = images()
    archives = tuple(_archive(image) for image in contents)
    if is_current(stamp_file, wanted) and all(path.is_file() for path in archives):
        return archives
    require_space(cache(), _SPACE_GIB)
    for number, (image, archive) in enumerate(zip(contents, archives, strict=True), start=1):
        started = time.monotonic()
        write_archive(image, archive, [_debian_layer(image.debian)] if image.debian else [])
        progress(image.reference, number, len(contents), time.monotonic() - started)
    record(stamp_file, wanted)
    return archives


def images_stamp() -> str:
    """Return the fingerprint of all that goes into the images."""
    # The programs' stamps stand for their bytes: hashing a gigabyte takes longer than a second.
    return fingerprint(
        *(stamp(entry) for entry in PROGRAMS),
        *(_description(image) for image in images()),
        Path(__file__).with_name("archive.py"),
    )


def _description(image: Image) -> str:
    files = [(entry.path, entry.mode, _origin(entry)) for entry in image.files]
    return repr((image.reference, files, image.directories, image.debian, image.entrypoint))


def _origin(entry: File) -> str:
    return str(entry.content)


def _archive(image: Image) -> Path:
    name = image.reference.replace("/", "_").replace(":", "_")
    return cache() / "images" / f"{name}.tar"


def _debian_layer(packages: tuple[str, ...]) -> Path:
    layer = cache() / "debian" / f"{fingerprint(SUITE, *packages)}.tar"
    if not layer.is_file():
        fresh = layer.with_name(f"new-{layer.name}")
        debian(packages, fresh)
        fresh.rename(layer)
    return layer
