"""Certificates that can be seen from outside a cluster and in its Secrets; never a key."""

import base64
import binascii
import ssl
from collections.abc import Callable, Iterator
from typing import Literal
from urllib.parse import urlsplit

from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes

from cli.doctor.asking.access import Access
from cli.doctor.asking.api import ANSWER_SECONDS, Api, NoAnswerError, NotThereError
from cli.doctor.facts import Asked, Certificate, Unanswered

_AUTHORITY = "cilium-ca"
_LEAVES: dict[str, Literal["mesh", "hubble"]] = {
    "clustermesh-apiserver-server-cert": "mesh",
    "clustermesh-apiserver-admin-cert": "mesh",
    "clustermesh-apiserver-remote-cert": "mesh",
    "clustermesh-apiserver-local-cert": "mesh",
    "hubble-server-certs": "hubble",
}
Kind = Literal["api server", "admin", "authority", "mesh", "hubble"]


def from_outside(access: Access) -> tuple[Asked[Certificate], ...]:
    """The API server's certificate, valid or not, and the one in the kubeconfig."""
    server = _careful(lambda: _shown_by(access.server))
    client = access.client
    if client is None:
        return (server,)
    return (
        server,
        _careful(lambda: _fact(_first(client.certificate), "admin kubeconfig", "admin")),
    )


def from_secrets(api: Api) -> Iterator[Asked[Certificate]]:
    """The mesh CA, and what it signed for the mesh's etcd and for Hubble."""
    authorities: tuple[x509.Certificate, ...] = ()
    try:
        authorities = _in_secret(api, _AUTHORITY, "ca.crt")
        yield from (_fact(one, _AUTHORITY, "authority") for one in authorities)
    except (NoAnswerError, ValueError) as error:
        yield Unanswered(f"Secret {_AUTHORITY}: {error}")
    for name, kind in _LEAVES.items():
        try:
            leaf = _in_secret(api, name, "tls.crt")[0]
            yield _fact(leaf, name, kind, signed=_is_signed(leaf, authorities))
        except NotThereError:
            continue  # which of them there are is the chart's affair
        except (NoAnswerError, ValueError) as error:
            yield Unanswered(f"Secret {name}: {error}")


def _careful(look: Callable[[], Certificate]) -> Asked[Certificate]:
    try:
        return look()
    except (OSError, ValueError) as error:
        return Unanswered(f"no certificate to be seen ({type(error).__name__})")


def _shown_by(server: str) -> Certificate:
    # Not verified: what has expired must be seen too. Nothing of ours is sent.
    place = urlsplit(server)
    door = (place.hostname or "", place.port or 443)
    pem = ssl.get_server_certificate(door, timeout=ANSWER_SECONDS)
    return _fact(_first(pem), "API server", "api server")


def _first(pem: str) -> x509.Certificate:
    return x509.load_pem_x509_certificates(pem.encode())[0]


def _in_secret(api: Api, name: str, key: str) -> tuple[x509.Certificate, ...]:
    data = api.get(f"/api/v1/namespaces/kube-system/secrets/{name}").get("data") or {}
    if key not in data:
        raise ValueError(f"has no {key}")
    try:
        return (*x509.load_pem_x509_certificates(base64.b64decode(data[key])),)
    except (ValueError, binascii.Error):
        raise ValueError(f"{key} holds no certificate") from None


def _is_signed(leaf: x509.Certificate, authorities: tuple[x509.Certificate, ...]) -> bool:
    for authority in authorities:
        try:
            leaf.verify_directly_issued_by(authority)
        except (ValueError, TypeError, InvalidSignature):
            continue
        return True
    return not authorities


def _fact(
    certificate: x509.Certificate, holder: str, kind: Kind, *, signed: bool = True
) -> Certificate:
    return Certificate(
        holder=holder,
        kind=kind,
        not_before=certificate.not_valid_before_utc,
        not_after=certificate.not_valid_after_utc,
        fingerprint=certificate.fingerprint(hashes.SHA256()).hex(),
        signed=signed,
    )
