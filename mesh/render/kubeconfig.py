"""The admin kubeconfig of a cluster, and one file that holds several."""

import base64
from collections.abc import Iterable
from typing import Any

import yaml

SECTIONS = ("clusters", "contexts", "users")


def kubeconfig(
    cluster_name: str, server: str, ca_pem: str, certificate_pem: str, key_pem: str
) -> str:
    """A kubeconfig whose cluster, context and user names no other cluster of the mesh has.

    `server` is a URL such as https://10.11.85.11:6443; the other three are PEM text.
    """
    user = f"{cluster_name}-admin"
    authority = {"certificate-authority-data": _base64(ca_pem), "server": server}
    credentials = {
        "client-certificate-data": _base64(certificate_pem),
        "client-key-data": _base64(key_pem),
    }
    context = {"cluster": cluster_name, "user": user}
    return _document(
        clusters=[{"name": cluster_name, "cluster": authority}],
        contexts=[{"name": cluster_name, "context": context}],
        users=[{"name": user, "user": credentials}],
    )


def merged_kubeconfig(documents: list[str]) -> str:
    """One kubeconfig with everything of the given ones; the first one's context is current.

    Two entries of one name raise ValueError naming it: kubectl would drop one without a word.
    """
    if not documents:
        raise ValueError("there is no kubeconfig to merge: give at least one")
    parsed = [yaml.safe_load(document) for document in documents]
    return _document(
        **{
            section: _all_different(section, (e for one in parsed for e in one[section]))
            for section in SECTIONS
        }
    )


def _all_different(section: str, entries: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    by_name: dict[str, dict[str, Any]] = {}
    for entry in entries:
        name = entry["name"]
        if name in by_name:
            raise ValueError(
                f"two kubeconfigs both have {name!r} in {section}: leave one of them out"
            )
        by_name[name] = entry
    return list(by_name.values())


def _document(
    clusters: list[dict[str, Any]], contexts: list[dict[str, Any]], users: list[dict[str, Any]]
) -> str:
    return yaml.safe_dump(
        {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": clusters,
            "contexts": contexts,
            "current-context": contexts[0]["name"],
            "users": users,
        },
        sort_keys=False,
    )


def _base64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()
