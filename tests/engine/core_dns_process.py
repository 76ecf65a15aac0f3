"""A CoreDNS process in the place of a pod's, and the words a kubelet has for it."""

import re
import subprocess
import urllib.error
import urllib.request
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import dns.exception
import dns.message
import dns.query

from tests.ports import free_port

LOG_BYTES = 2048
"""What the kubelet keeps of a log as a termination message."""
NAME = "kubernetes.default.svc.cluster.local."


class CoreDnsProcess:
    """Runs the real program on a Corefile whose ports and files, but no lines, are changed."""

    def __init__(self, program: Path, directory: Path) -> None:
        directory.mkdir()
        self._program = program
        self._directory = directory
        self._port, self._exposed = free_port(), free_port()
        self._ready, self._health, self._metrics = free_port(), free_port(), free_port()
        self._started = _now()
        self._mounted = ""

    def mount(self, corefile: str) -> None:
        """Show the process this file from now on."""
        if corefile != self._mounted:
            self._mounted = corefile
            new = self._directory / "Corefile.new"
            new.write_text(self._local(corefile))
            new.rename(self._directory / "Corefile")

    def start(self) -> None:
        """Run it on the file that is mounted."""
        with (self._directory / "log").open("wb") as log:
            command = [str(self._program), "-conf", "Corefile"]
            self._process = subprocess.Popen(
                command, cwd=self._directory, stdout=log, stderr=subprocess.STDOUT
            )

    def end(self) -> None:
        self._process.kill()
        self._process.wait()

    def ended(self) -> bool:
        return self._process.poll() is not None

    def ready(self) -> bool:
        """Whether its readiness probe succeeds."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self._ready}/ready", timeout=2):
                return True
        except OSError:
            return False

    def answers(self) -> bool:
        """Whether a name of the cluster has an address there."""
        query = dns.message.make_query(NAME, "A")
        try:
            reply = dns.query.tcp(query, "127.0.0.1", port=self._port, timeout=2)
        except (OSError, EOFError, dns.exception.DNSException):
            return False
        return bool(reply.answer)

    @property
    def log(self) -> str:
        return (self._directory / "log").read_text()

    def status(self, pod: str, policy: str) -> dict[str, Any]:
        """The status of its pod, whose container has this policy for termination messages."""
        ready = not self.ended() and self.ready()
        unready = {"reason": "ContainersNotReady", "message": f"{_UNREADY}: [coredns]"}
        answer = {"status": "True"} if ready else {"status": "False", **unready}
        conditions = [{"type": kind, **answer} for kind in ("Ready", "ContainersReady")]
        done = [{"type": kind, "status": "True"} for kind in ("PodScheduled", "Initialized")]
        container = {
            "name": "coredns",
            "image": "coredns",
            "imageID": "coredns",
            "ready": ready,
            "restartCount": int(self.ended()),
            **self._state(pod, policy),
        }
        return {
            "phase": "Running",
            "conditions": [*conditions, *done],
            "containerStatuses": [container],
        }

    def _state(self, pod: str, policy: str) -> dict[str, Any]:
        if not self.ended():
            return {"state": {"running": {"startedAt": self._started}}}
        terminated = {
            "exitCode": self._process.returncode,
            "reason": "Error",
            "startedAt": self._started,
            "finishedAt": self._started,
        }
        if policy == "FallbackToLogsOnError":
            terminated["message"] = self.log[-LOG_BYTES:]
        back_off = f"back-off 10s restarting failed container=coredns pod={pod}"
        waiting = {"reason": "CrashLoopBackOff", "message": back_off}
        return {"state": {"waiting": waiting}, "lastState": {"terminated": terminated}}

    def _local(self, corefile: str) -> str:
        for shipped, ours in {
            r":53\b": f":{self._port}",
            r":1053\b": f":{self._exposed}",
            r"prometheus .*": f"prometheus 127.0.0.1:{self._metrics}",
            r"health \{": f"health 127.0.0.1:{self._health} {{",
            r"\bready$": f"ready 127.0.0.1:{self._ready}",
            r"/etc/resolv\.conf": "127.0.0.1:9",
            r"pods insecure": "kubeconfig ../kubeconfig",
        }.items():
            corefile = re.sub(shipped, ours, corefile, flags=re.MULTILINE)
        return corefile


_UNREADY = "containers with unready status"


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
