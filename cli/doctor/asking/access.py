"""The ways into the clusters of a kubeconfig, its contexts being the clusters."""

import base64
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from cli.failure import Failure
from mesh.pki import KeyPair

_WRITE_ONE = "write one by `mesh kubeconfig -o mesh.kubeconfig`"
_WAYS = "a certificate-authority, and a client certificate or a token"


@dataclass(frozen=True)
class Access:
    """One cluster's server (a URL), the CA that vouches for it, and who we are."""

    cluster: str
    server: str
    authority: str
    client: KeyPair | None
    token: str | None = field(default=None, repr=False)


def kubeconfig_files(given: Path | None) -> list[Path]:
    """The file that was named, else those of KUBECONFIG. Raises Failure where neither is."""
    if given:
        return [given]
    named = [Path(one) for one in os.environ.get("KUBECONFIG", "").split(os.pathsep) if one]
    if not named:
        raise Failure(f"no kubeconfig: {_WRITE_ONE}, and name it by --kubeconfig or KUBECONFIG")
    return named


def accesses(files: list[Path]) -> tuple[Access, ...]:
    """Every context of the files, in their order; of one name the first, as kubectl has it.

    Raises Failure for what is no kubeconfig, and for a context that can't be used.
    """
    found: dict[str, Access] = {}
    for file in files:
        for access in _contexts(file):
            found.setdefault(access.cluster, access)
    if not found:
        raise Failure(f"{files[0]} has no context: {_WRITE_ONE}")
    return tuple(found.values())


def _contexts(file: Path) -> Iterator[Access]:
    document = _document(file)
    clusters, users = (_named(document, section) for section in ("clusters", "users"))
    for name, context in _named(document, "contexts").items():
        try:
            cluster, user = clusters[context["cluster"]], users[context["user"]]
            yield _access(name, cluster, user, file.parent)
        except (KeyError, TypeError, ValueError):
            # Not `from error`: its words could be a piece of a key.
            raise Failure(f"{file}: context {name} lacks something: give it {_WAYS}") from None


def _document(file: Path) -> Mapping[str, Any]:
    try:
        document = yaml.safe_load(file.read_text(encoding="utf-8"))
    except (yaml.YAMLError, UnicodeDecodeError):
        document = None
    except OSError as error:
        raise Failure(f"{file}: {(error.strerror or 'unreadable').lower()}: {_WRITE_ONE}") from None
    if not isinstance(document, dict):
        raise Failure(f"{file} is no kubeconfig: {_WRITE_ONE}")
    return document


def _named(document: Mapping[str, Any], section: str) -> dict[str, Any]:
    entries = document.get(section) or ()
    return {entry["name"]: entry.get(section.removesuffix("s")) for entry in entries}


def _access(name: str, cluster: Any, user: Any, beside: Path) -> Access:  # noqa: ANN401 - YAML
    token = user.get("token")
    client = None
    if not token:
        certificate = _text(user, "client-certificate", beside)
        client = KeyPair(certificate, _text(user, "client-key", beside))
    authority = _text(cluster, "certificate-authority", beside)
    return Access(name, cluster["server"], authority, client, token)


def _text(entry: Mapping[str, str], key: str, beside: Path) -> str:
    if data := entry.get(f"{key}-data"):
        return base64.b64decode(data).decode()
    try:
        return (beside / entry[key]).read_text(encoding="utf-8")
    except OSError as error:
        raise ValueError(key) from error
