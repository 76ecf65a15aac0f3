"""One thing the doctor looked at, and what to do about it."""

from dataclasses import dataclass
from typing import Literal

Severity = Literal["ok", "warning", "error", "not checked"]


@dataclass(frozen=True)
class Finding:
    """What was looked at in which cluster, what was seen, and the fix where one is due.

    The fix is a command, or what to write. Neither text ever holds a secret.
    """

    cluster: str
    subject: str
    severity: Severity
    seen: str
    fix: str = ""

    def as_output(self) -> dict[str, str]:
        """Plain values, for a program."""
        return {
            "cluster": self.cluster,
            "subject": self.subject,
            "severity": self.severity,
            "seen": self.seen,
            "fix": self.fix,
        }


@dataclass(frozen=True)
class Subject:
    """Something in a cluster that is being judged."""

    cluster: str
    name: str

    def ok(self, seen: str) -> Finding:
        """It is as it should be."""
        return Finding(self.cluster, self.name, "ok", seen)

    def warning(self, seen: str, fix: str) -> Finding:
        """It works, and asks for a look."""
        return Finding(self.cluster, self.name, "warning", seen, fix)

    def error(self, seen: str, fix: str) -> Finding:
        """It doesn't work."""
        return Finding(self.cluster, self.name, "error", seen, fix)

    def not_checked(self, why: str, fix: str = "") -> Finding:
        """Nobody knows."""
        return Finding(self.cluster, self.name, "not checked", why, fix)
