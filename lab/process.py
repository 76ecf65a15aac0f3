"""A process by its id and the moment it started, so that a later one of the same id is no other."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path

_STATE = 0  # fields of /proc/PID/stat behind the name: proc(5) counts these 3 and 22
_START = 19


@dataclass(frozen=True)
class Process:
    """A process id, and its start in clock ticks since the machine's own: no clock moves that."""

    pid: int
    started: int

    @classmethod
    def of(cls, pid: int) -> "Process":
        """Return the process that has this id now. Raises ProcessLookupError."""
        fields = _fields(pid)
        if fields is None:
            raise ProcessLookupError(f"no process {pid}")
        return cls(pid, int(fields[_START]))

    def is_running(self) -> bool:
        """Tell whether this very process is still there, and not just waited for."""
        fields = _fields(self.pid)
        return fields is not None and int(fields[_START]) == self.started and fields[_STATE] != "Z"


def write_record(path: Path, content: object) -> None:
    """Write a dataclass as JSON, whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_name(f".{path.name}.new")
    fresh.write_text(json.dumps(asdict(content)))  # type: ignore[call-overload]
    fresh.replace(path)


def read_record(path: Path) -> dict[str, object] | None:
    """Return what `write_record` wrote; None when there is nothing, or nothing readable."""
    try:
        found: dict[str, object] = json.loads(path.read_text())
    except (FileNotFoundError, ValueError):
        return None
    return found


def _fields(pid: int) -> list[str] | None:
    try:
        # The name may hold blanks and parentheses; what follows its last one does not.
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return None
