"""Limits of the kernel that all nodes of a lab share, as one machine: raised, and put back."""

import json
from pathlib import Path

from lab.paths import DISKS

# Every systemd, containerd, kubelet and Cilium agent watches files; a machine has one of each.
NEEDED = {
    "fs/inotify/max_user_instances": 8192,
    "fs/inotify/max_user_watches": 1_048_576,
}
FORMER = DISKS / "former-limits.json"
ROOT = Path("/proc/sys")


def lift() -> None:
    """Raise the limits that are too low, remembering what they were."""
    current = {name: int((ROOT / name).read_text()) for name in NEEDED}
    low = {name: value for name, value in current.items() if value < NEEDED[name]}
    if low and not FORMER.exists():
        FORMER.parent.mkdir(parents=True, exist_ok=True)
        FORMER.write_text(json.dumps(low))
    for name in low:
        (ROOT / name).write_text(str(NEEDED[name]))


def put_back() -> None:
    """Set the limits to what they were before the lab."""
    if not FORMER.exists():
        return
    for name, value in json.loads(FORMER.read_text()).items():
        (ROOT / name).write_text(str(value))
    FORMER.unlink()
