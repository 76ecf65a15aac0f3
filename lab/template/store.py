"""One unpacked copy of the images that every node's containerd starts from."""

import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from lab.building import BuildError
from lab.paths import cache

_SCRIPT = Path(__file__).with_name("fill-store.sh")


def make_store(rootfs: Path, archives: Sequence[Path], target: Path) -> None:
    """Fill a new /var/lib/containerd with the images, by the template's own containerd.

    It runs in namespaces of its own, ends with the call, and leaves nothing but the directory.
    """
    target.mkdir(parents=True)
    log = cache() / "logs" / "containerd-store.log"
    with log.open("w") as output:
        finished = subprocess.run(
            ["bash", str(_SCRIPT), str(rootfs), str(target), *map(str, archives)],
            stdout=output,
            stderr=subprocess.STDOUT,
            check=False,
        )
    if finished.returncode:
        shutil.rmtree(target)
        last = "\n".join(f"  {line}" for line in log.read_text().splitlines()[-15:])
        raise BuildError(f"unpacking the images failed:\n{last}\nthe whole log is {log}")
