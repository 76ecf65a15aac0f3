"""A CoreDNS process in the place of a pod's, and the words a kubelet has for it."""

import re
import subprocess
import time
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
ANSWER_SECONDS = 5
BACK_OFF_SECONDS = 5
"""A kubelet begins with 10, and doubles it."""
NAME = "kubernetes.default.svc.cluster.local."


class CoreDnsProcess:
    """Runs the real program on a Corefile whose ports and files, but no lines, are changed."""

    def __init__(self, program: Path, directory: Path) -> None:
        directory.mkdir()
        self._program = program
        self._directory = directory
        self._port, self._exposed = free_port(), free_port()
        self._ready, self._health, self._metrics = free_port(), free_port(), free_port()
        self._mounted = ""
        self._restarts = 0
        self._last_state: dict[str, Any] = {}

    def mount(self, corefile: str) -> None:
        """Show the process this file from now on."""
        if corefile != self._mounted:
            self._mounted = corefile
            new = self._directory / "Corefile.new"
            new.write_text(self._local(corefile))
            new.rename(self._directory / "Corefile")

    def start(self) -> None:
        """Run it on the file that is mounted."""
        self._started, self._started_at = _now(), time.monotonic()
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

    def failed(self) -> bool:
        """Whether it has ended, or was started again after it had."""
        return self.ended() or self._restarts > 0

    def start_again(self) -> None:
        """Run it anew if it has ended, and not too soon."""
        if self.ended() and time.monotonic() - self._started_at > BACK_OFF_SECONDS:
            self._restarts += 1
            self.start()

    def ready(self) -> bool:
        """Whether its readiness probe succeeds."""
        try:
            with urllib.request.urlopen(
                f"http://127.0.0.1:{self._ready}/ready", timeout=ANSWER_SECONDS
            ):
                return True
        except OSError:
            return False

    def answers(self) -> bool:
        """Whether a name of the cluster has an address there."""
        query = dns.message.make_query(NAME, "A")
        try:
            reply = dns.query.tcp(query, "127.0.0.1", port=self._port, timeout=ANSWER_SECONDS)
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
            "restartCount": self._restarts,
            **self._state(pod, policy),
        }
        return {
            "phase": "Running",
            "conditions": [*conditions, *done],
            "containerStatuses": [container],
        }

    def _state(self, pod: str, policy: str) -> dict[str, Any]:
        if not self.ended():
            return {"state": {"running": {"startedAt": self._started}}, **self._last_state}
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
        self._last_state = {"lastState": {"terminated": terminated}}
        return {"state": {"waiting": waiting}, **self._last_state}

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
