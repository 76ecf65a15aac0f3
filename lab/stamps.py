"""Stamps tell whether something built earlier is still what would be built now."""

import hashlib
from collections.abc import Iterable
from pathlib import Path


def fingerprint(*inputs: str | Path) -> str:
    """Return 16 hex digits over texts and the contents of files and whole directories."""
    digest = hashlib.sha256()
    for entry in inputs:
        if isinstance(entry, str):
            _add(digest, entry.encode())
        else:
            for path in _files(entry):
                _add(digest, str(path.relative_to(entry)).encode())
                _add(digest, path.read_bytes())
    return digest.hexdigest()[:16]


def is_current(stamp_file: Path, stamp: str) -> bool:
    """Say whether the last finished build had the same inputs."""
    return stamp_file.is_file() and stamp_file.read_text() == stamp


def record(stamp_file: Path, stamp: str) -> None:
    """Note that a build with these inputs is finished."""
    stamp_file.parent.mkdir(parents=True, exist_ok=True)
    stamp_file.write_text(stamp)


def _files(root: Path) -> Iterable[Path]:
    if root.is_file():
        return [root]
    return sorted(path for path in root.rglob("*") if path.is_file())


def _add(digest: "hashlib._Hash", data: bytes) -> None:
    # The length in front keeps "ab", "c" and "a", "bc" apart.
    digest.update(f"{len(data)}:".encode())
    digest.update(data)
