"""What this machine's kernel and this process's rights allow a lab."""

import errno
import os
from pathlib import Path

from pyroute2 import NetlinkError, NetNS, netns

_TRIAL = f"mesh-lab-trial-{os.getpid()}"
_CAP_SYS_RESOURCE = 24


def makes_links_of(kind: str) -> bool:
    """Tell whether the kernel makes network links of a kind, such as `geneve` or `vxlan`."""
    if _TRIAL not in netns.listnetns():
        netns.create(_TRIAL)
    details = {"geneve_id": 1, "geneve_remote": "127.0.0.1"} if kind == "geneve" else {}
    if kind == "vxlan":
        details = {"vxlan_id": 1}
    try:
        with NetNS(_TRIAL) as links:
            links.link("add", ifname="trial0", kind=kind, **details)
    except NetlinkError as error:
        if error.code != errno.EOPNOTSUPP:
            raise
        return False
    else:
        return True
    finally:
        netns.remove(_TRIAL)


def may_raise_limits() -> bool:
    """Tell whether root here has CAP_SYS_RESOURCE, which containers with capabilities ask for."""
    status = Path("/proc/self/status").read_text()
    effective = next(line for line in status.splitlines() if line.startswith("CapEff:"))
    return bool(int(effective.split()[1], 16) >> _CAP_SYS_RESOURCE & 1)
