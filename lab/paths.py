"""Where the lab keeps its things: a cache that outlives it, and what goes with `lab down`."""

import os
from pathlib import Path

NAME = "vsphere-cluster-mesh"

RUN = Path("/run") / NAME
DISKS = Path("/var/lib") / NAME
NODES = DISKS / "nodes"


def cache() -> Path:
    """Return the directory for what is built once: programs, images, charts."""
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(home) / NAME
