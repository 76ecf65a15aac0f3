"""What a node's disks are made of: the template's files, and a copy of its unpacked images."""

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Template:
    """What every node starts from; nodes only read it.

    `root` is a root file system, an overlay's lower directory; `containerd` has the unpacked
    images and is what `copy_store` takes.
    """

    root: Path
    containerd: Path


def copy_store(store: Path, target: Path) -> None:
    """Give one node its /var/lib/containerd: a new directory, in about a second, no space used.

    Files are hard links, so both must lie on the same real file system (no overlay).
    """
    subprocess.run(["cp", "-al", str(store), str(target)], check=True)
    # containerd writes its databases in place: a shared one would be every node's at once.
    for database in target.rglob("*.db"):
        if "/fs/" not in str(database):
            fresh = database.with_name(f".{database.name}.own")
            shutil.copy2(database, fresh)
            fresh.rename(database)
