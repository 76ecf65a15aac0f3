"""The docker-archive format: a tar of manifest.json, one image configuration, and layers."""

import hashlib
import io
import json
import tarfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from lab.machine import architecture

SEARCH_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


@dataclass(frozen=True)
class File:
    """One file of an image; `content` is its bytes or where to read them."""

    path: str
    content: Path | bytes
    mode: int = 0o755


@dataclass(frozen=True, kw_only=True)
class Image:
    """One image: its full reference, what lies in it, and how it starts.

    `debian` names packages of a Debian layer below the files; `directories` are (path, mode).
    """

    reference: str
    files: tuple[File, ...]
    directories: tuple[tuple[str, int], ...] = ()
    debian: tuple[str, ...] = ()
    entrypoint: tuple[str, ...] = ()
    environment: tuple[tuple[str, str], ...] = ()
    user: str = "0"


def write_archive(image: Image, destination: Path, base_layers: Sequence[Path] = ()) -> None:
    """Write an image so that `ctr images import` takes it; the same input gives the same bytes."""
    destination.parent.mkdir(parents=True, exist_ok=True)
    fresh = destination.with_name(f".{destination.name}.new")
    own_layer = fresh.with_suffix(".layer")
    _write_layer(image, own_layer)
    layers = [*base_layers, own_layer]
    digests = [_digest(layer) for layer in layers]
    configuration = _json(_configuration(image, digests))
    name = f"{hashlib.sha256(configuration).hexdigest()}.json"
    manifest = [
        {"Config": name, "RepoTags": [image.reference], "Layers": [f"{d}.tar" for d in digests]}
    ]
    with tarfile.open(fresh, "w", format=tarfile.PAX_FORMAT) as archive:
        _add(archive, "manifest.json", _json(manifest), 0o644)
        _add(archive, name, configuration, 0o644)
        for digest, layer in zip(digests, layers, strict=True):
            _add(archive, f"{digest}.tar", layer, 0o644)
    own_layer.unlink()
    fresh.rename(destination)


def _write_layer(image: Image, destination: Path) -> None:
    with tarfile.open(destination, "w", format=tarfile.PAX_FORMAT) as layer:
        modes = dict(image.directories)
        known = {entry.path for entry in image.files} | set(modes)
        for directory in sorted({str(p) for path in known for p in _parents(path)} | set(modes)):
            member = _member(directory, modes.get(directory, 0o755))
            member.type = tarfile.DIRTYPE
            layer.addfile(member)
        for entry in sorted(image.files, key=lambda entry: entry.path):
            _add(layer, entry.path, entry.content, entry.mode)


def _parents(path: str) -> Iterator[PurePosixPath]:
    return (parent for parent in PurePosixPath(path).parents if str(parent) != "/")


def _add(archive: tarfile.TarFile, name: str, content: Path | bytes, mode: int) -> None:
    member = _member(name, mode)
    if isinstance(content, bytes):
        member.size = len(content)
        archive.addfile(member, io.BytesIO(content))
    else:
        member.size = content.stat().st_size
        with content.open("rb") as source:
            archive.addfile(member, source)


def _member(name: str, mode: int) -> tarfile.TarInfo:
    # Owner 0:0 and time 0 are TarInfo's defaults, and what makes the bytes repeatable.
    member = tarfile.TarInfo(name.lstrip("/"))
    member.mode = mode
    return member


def _configuration(image: Image, digests: Sequence[str]) -> dict[str, object]:
    environment = {"PATH": SEARCH_PATH, **dict(image.environment)}
    return {
        "architecture": architecture(),
        "os": "linux",
        "config": {
            "User": image.user,
            "Env": [f"{name}={value}" for name, value in sorted(environment.items())],
            "Entrypoint": list(image.entrypoint),
            "WorkingDir": "/",
        },
        "rootfs": {"type": "layers", "diff_ids": [f"sha256:{digest}" for digest in digests]},
    }


def _json(value: object) -> bytes:
    return json.dumps(value, sort_keys=True).encode()


def _digest(path: Path) -> str:
    with path.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()
